//! Scripts without spaces between words, and Korean.

use unicode_normalization::UnicodeNormalization;

use crate::wash::gate::{
    Class, Gate, compare,
    lexicon::{Language, Lexicon},
};

/// Returns the class and text of each finding.
fn found(old: &str, new: &str) -> Vec<(Class, String)> {
    let report = compare(&[old], new);
    report.findings.into_iter().map(|finding| (finding.class, finding.text)).collect()
}

/// Spaces and the width of signs and digits are layout, with hangul too.
#[test]
fn spacing_and_width_are_layout() {
    const SAME: &[(&str, &str)] = &[
        ("使用 API 密钥：必须保密。", "使用API密钥:必须保密。"),
        ("（默认值：30秒）", "(默认值: 30 秒)"),
        ("キャッシュは３０秒、最大１００件。", "キャッシュは30秒、最大100件。"),
        ("GitHub にプッシュする。", "GitHubにプッシュする。"),
        ("README.md를 30초 안에 읽는다.", "README.md 를 30 초 안에 읽는다."),
        ("값(기본값 10)을 API로 보낸다.", "값 (기본값 10) 을 API 로 보낸다."),
        ("再試行は10〜20回", "再試行は10-20回"),
        ("成功率９０％", "成功率90%"),
        ("ต้องรอ ๓๐ วินาที", "ต้องรอ30วินาที"),
        ("ใช้ API key ก่อน", "ใช้API keyก่อน"),
    ];
    for (old, new) in SAME {
        assert_eq!(found(old, new), [], "{old} / {new}");
        assert_eq!(found(new, old), [], "{new} / {old}");
    }
}

/// A range is not a list.
#[test]
fn a_wave_dash_before_a_number_counts() {
    let report = found("再試行は10〜20回", "再試行は10、20回");
    assert!(report.iter().any(|(class, _)| class.blocks()), "{report:?}");
}

/// A sentence with a gap, and words of which each is put in place of the one before.
type Claims = (&'static str, Class, &'static [(&'static str, &'static str)]);

/// Endings that claim nothing, and so are no part of a difference.
const PLAIN: &[&str] = &["する", "してください", "ใช้"];

/// Each claim word in place of another has the name of its family, and is quoted as a whole.
fn claims(table: &[Claims]) {
    for (sentence, class, pairs) in table {
        for (old, new) in *pairs {
            let [from, to] = [old, new].map(|word| sentence.replace('_', word));
            let findings = found(&from, &to);
            assert!(
                findings.iter().any(|(named, text)| {
                    named == class
                        && [old, new]
                            .iter()
                            .all(|word| PLAIN.contains(word) || text.contains(*word))
                }),
                "{from} / {to}: not {class:?} but {findings:?}"
            );
        }
    }
}

/// Each word in place of the other blocks, and both are quoted.
fn changes(sentence: &str, pairs: &[(&str, &str)]) {
    for (old, new) in pairs {
        let [from, to] = [old, new].map(|word| sentence.replace('_', word));
        let findings = found(&from, &to);
        assert!(
            findings.iter().any(|(class, text)| {
                class.blocks() && text.contains(old) && text.contains(new)
            }),
            "{from} / {to}: {findings:?}"
        );
    }
}

/// Returns what blocks.
fn blocking(old: &str, new: &str) -> Vec<(Class, String)> {
    found(old, new).into_iter().filter(|(class, _)| class.blocks()).collect()
}

fn silent(pairs: &[(&str, &str)]) {
    for (old, new) in pairs {
        assert_eq!(found(old, new), [], "{old} / {new}");
    }
}

fn reworded(pairs: &[(&str, &str)]) {
    for (old, new) in pairs {
        let findings = found(old, new);
        let classes: Vec<Class> = findings.iter().map(|(class, _)| *class).collect();
        assert_eq!(classes, [Class::Reworded], "{old} / {new}: {findings:?}");
    }
}

fn blocked(pairs: &[(&str, &str)]) {
    for (old, new) in pairs {
        assert_ne!(blocking(old, new), [], "{old} / {new}");
    }
}

#[test]
fn chinese_claims() {
    claims(&[
        (
            "提交前_运行全部测试。",
            Class::Weaker,
            &[
                ("必须", "应该"),
                ("务必", "可以"),
                ("必須", "建議"),
                ("应当", "可以"),
                ("始终", "通常"),
                ("总是", "偶尔"),
            ],
        ),
        (
            "提交前_运行全部测试。",
            Class::Stronger,
            &[("建议", "必须"), ("可以", "应该"), ("通常", "总是")],
        ),
        (
            "_直接推送到主分支。",
            Class::Weaker,
            &[("禁止", "避免"), ("严禁", "不建议"), ("切勿", "尽量不要")],
        ),
        (
            "_直接推送到主分支。",
            Class::NegationLost,
            &[("禁止", "允许"), ("不得", "可以"), ("不要", "必须")],
        ),
        ("_直接推送到主分支。", Class::NegationAdded, &[("可以", "禁止"), ("应该", "不得")]),
        (
            "重试次数_ 3 次。",
            Class::BoundChanged,
            &[
                ("至少", "最多"),
                ("不超过", "不少于"),
                ("最低", "最高"),
                ("大于", "小于"),
                ("超过", "不到"),
            ],
        ),
        ("超时 30 秒_。", Class::BoundChanged, &[("以上", "以下"), ("以内", "以上")]),
        ("大小_ 30 MB。", Class::ScopeChanged, &[("恰好", "大约")]),
        (
            "_接口需要鉴权。",
            Class::ScopeChanged,
            &[("所有", "部分"), ("每个", "某些"), ("大部分", "所有"), ("只有", "所有")],
        ),
        (
            "合并_更新日志。",
            Class::OrderChanged,
            &[("之前", "之后"), ("前", "后"), ("以前", "以後")],
        ),
        ("_部署，通知团队。", Class::OrderChanged, &[("首先", "最后"), ("如果", "即使")]),
        ("_只读接口，都需要令牌。", Class::ExceptionLost, &[("除了", "包括")]),
    ]);
    for (old, new) in [
        ("不要修改生成的文件，除非得到批准。", "不要修改生成的文件。"),
        ("所有接口都要鉴权，健康检查除外。", "所有接口都要鉴权，健康检查。"),
    ] {
        let findings = blocking(old, new);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].0, Class::ExceptionLost, "{findings:?}");
    }
}

#[test]
fn chinese_rephrased() {
    silent(&[
        ("请注意，不要提交密钥。", "不要提交密钥。"),
        ("请在提交前运行测试。", "在提交前运行测试。"),
        ("值得一提的是，缓存保留 7 天。", "缓存保留 7 天。"),
        ("使用 pnpm，不要使用 npm。", "使用pnpm，不要使用npm。"),
    ]);
    reworded(&[
        ("例如，使用默认配置。", "比如，使用默认配置。"),
        ("如果测试失败，就停止部署。", "如果测试失败，停止部署。"),
        ("这个服务的配置文件位于 config 目录。", "服务配置文件存放在 config 目录。"),
        ("对代码进行审查。", "对代码审查。"),
        ("必须使用英文的提交信息。", "务必使用英文提交信息。"),
        ("禁止提交密钥。", "不要提交密钥。"),
        ("仔细检查数据库的迁移。", "检查数据库迁移。"),
        ("日志保存在服务器上。", "日誌保存在伺服器上。"),
        ("所有的提交信息都必须使用英文来编写。", "所有提交信息必须用英文编写。"),
        ("迁移脚本存放在 migrations 目录下面。", "迁移脚本位于 migrations 目录。"),
        ("当测试失败的时候，不要提交代码。", "测试失败时，不要提交代码。"),
        ("创建一个新的分支。", "新建新的分支。"),
    ]);
}

#[test]
fn chinese_words_are_quoted_whole() {
    changes("提交信息使用_书写。", &[("英文", "中文"), ("英文", "日文"), ("简体中文", "繁体中文")]);
    changes(
        "先部署到_。",
        &[("测试环境", "生产环境"), ("预发布环境", "生产环境"), ("北京", "上海")],
    );
    changes(
        "修改_需要审批。",
        &[
            ("数据库", "缓存"),
            ("配置", "文档"),
            ("接口", "页面"),
            ("密钥", "端口"),
            ("脚本", "插件"),
        ],
    );
    changes("默认_该功能。", &[("启用", "禁用"), ("显示", "隐藏")]);
    changes("每_生成报告。", &[("星期一", "星期五")]);
    blocked(&[
        ("只修改测试文件。", "也修改测试文件。"),
        ("不要修改配置。", "修改配置。"),
        ("所有文件都要检查。", "所有文件都不要检查。"),
        ("他们没有批准。", "他们批准。"),
        ("只保留一个备份。", "只保留备份。"),
        ("每次提交一个文件。", "每次提交文件。"),
        ("测试未通过。", "测试不通过。"),
        ("目标是降低延迟。", "目标是提高延迟。"),
    ]);
}

#[test]
fn japanese_claims() {
    claims(&[
        (
            "コミット前に_テストを実行する。",
            Class::Weaker,
            &[("必ず", "できれば"), ("必ず", "なるべく"), ("常に", "通常は"), ("毎回", "時々")],
        ),
        (
            "コミット前に_テストを実行する。",
            Class::Stronger,
            &[("できれば", "必ず"), ("通常", "常に")],
        ),
        ("承認は_です。", Class::Weaker, &[("必須", "推奨"), ("必要", "任意")]),
        (
            "テストを実行_。",
            Class::Weaker,
            &[
                ("しなければならない", "すべきである"),
                ("すべき", "してもよい"),
                ("しなければなりません", "してもよい"),
            ],
        ),
        ("本番への直接の変更は_です。", Class::Weaker, &[("禁止", "非推奨"), ("厳禁", "非推奨")]),
        (
            "本番への変更は_。",
            Class::NegationLost,
            &[("禁止", "許可"), ("不要", "必要"), ("不可", "可能")],
        ),
        (
            "設定を変更_。",
            Class::NegationLost,
            &[
                ("しない", "する"),
                ("しないでください", "してください"),
                ("してはならない", "してもよい"),
                ("できない", "できる"),
            ],
        ),
        (
            "設定を変更_。",
            Class::NegationAdded,
            &[("してもよい", "してはいけない"), ("できる", "できません")],
        ),
        (
            "再試行は 3 回_とする。",
            Class::BoundChanged,
            &[("以上", "以下"), ("未満", "以上"), ("以内", "以上")],
        ),
        (
            "メモリは_ 8 GB とする。",
            Class::BoundChanged,
            &[("最低", "最大"), ("少なくとも", "多くとも")],
        ),
        (
            "_のテストを実行する。",
            Class::ScopeChanged,
            &[("すべて", "一部"), ("ほとんど", "すべて"), ("全部", "いずれか")],
        ),
        ("管理者_変更できる。", Class::ScopeChanged, &[("のみ", "も"), ("だけ", "も")]),
        ("サイズは_ 30 MB です。", Class::ScopeChanged, &[("ちょうど", "約")]),
        ("マージ_通知する。", Class::OrderChanged, &[("前に", "後に"), ("する前に", "した後に")]),
        ("_キャッシュを消す。", Class::OrderChanged, &[("最初に", "最後に"), ("まず", "最後に")]),
    ]);
    let findings = blocking("管理者を除き、設定は変更しない。", "管理者、設定は変更しない。");
    assert_eq!(findings, [(Class::ExceptionLost, "を除き".to_owned())]);
}

#[test]
fn japanese_rephrased() {
    silent(&[
        ("なお、ログは７日間保存する。", "ログは 7 日間保存する。"),
        ("GitHub にプッシュする", "GitHubにプッシュする"),
        ("（注）秘密鍵は共有しない。", "(注) 秘密鍵は共有しない。"),
    ]);
    reworded(&[
        ("テストを実行します。", "テストを実行する。"),
        ("テストを実行してください。", "テストを実行する。"),
        ("テストを実行してください。", "テスト実行。"),
        ("テストを行ってください。", "テストする。"),
        ("設定ファイルを読んでください。", "設定ファイルを読む。"),
        ("変更する前に確認してください。", "変更する前に確認する。"),
        ("秘密鍵をコミットしないでください。", "秘密鍵をコミットしない。"),
        ("例えば、ログの設定を変える。", "たとえばログ設定を変える。"),
        ("これはユーザーの設定です。", "ユーザ設定である。"),
        ("古いファイルを消してください。", "古いファイルを消します。"),
        ("必ず丁寧にレビューすること。", "必ずレビューする。"),
        ("テストを実行しなければならない。", "テストを実行しなければなりません。"),
        ("すべてのテストを実行する。", "全てのテストを実行します。"),
        ("すべて英語で書くようにしてください。", "すべて英語で書く。"),
        ("メンテナーの承認を得てください。", "メンテナーの承認を得る。"),
        ("30 秒を超えないようにしてください。", "30 秒を超えないこと。"),
        ("本ファイルはサーバーの手順です。", "このファイルはサーバの手順である。"),
    ]);
}

#[test]
fn japanese_words_are_quoted_whole() {
    changes("回答は_で書く。", &[("日本語", "英語"), ("英語", "韓国語")]);
    changes("先に_へデプロイする。", &[("本番環境", "ステージング環境"), ("検証環境", "本番環境")]);
    changes("_に会議をする。", &[("月曜日", "金曜日"), ("午前", "午後")]);
    changes(
        "_の変更には承認が要る。",
        &[("データベース", "キャッシュ"), ("画像", "関数"), ("変数", "定数"), ("計画", "設計")],
    );
    changes("機能を_にする。", &[("有効", "無効"), ("公開", "非公開"), ("自動", "手動")]);
    blocked(&[
        ("ユーザーが削除する。", "ユーザーを削除する。"),
        ("管理者は承認する。", "管理者を承認する。"),
        ("ファイルを使わない。", "ファイルを使う。"),
        ("テストも実行する。", "テストは実行する。"),
        ("確認しました。", "確認します。"),
        ("管理者として実行する。", "管理者と実行する。"),
        ("サーバーには保存しない。", "サーバーは保存しない。"),
        ("未承認の変更", "非承認の変更"),
        ("値を増やす。", "値を減らす。"),
    ]);
}

#[test]
fn korean_claims() {
    claims(&[
        (
            "커밋 전에 _ 테스트를 실행한다.",
            Class::Weaker,
            &[("반드시", "가급적"), ("항상", "보통"), ("언제나", "가끔")],
        ),
        (
            "커밋 전에 _ 테스트를 실행한다.",
            Class::Stronger,
            &[("가급적", "반드시"), ("보통", "항상")],
        ),
        ("승인은 _입니다.", Class::Weaker, &[("필수", "권장")]),
        ("설정을 변경_.", Class::Weaker, &[("해야", "해도")]),
        ("직접 배포는 _한다.", Class::NegationLost, &[("금지", "허용"), ("금지", "권장")]),
        (
            "재시도는 3회 _으로 한다.",
            Class::BoundChanged,
            &[("이상", "이하"), ("초과", "미만"), ("이내", "이상")],
        ),
        ("메모리는 _ 8GB로 한다.", Class::BoundChanged, &[("최소", "최대")]),
        (
            "_ 테스트를 실행한다.",
            Class::ScopeChanged,
            &[("모든", "일부"), ("전체", "일부"), ("대부분", "모든")],
        ),
        ("관리자_ 변경할 수 있다.", Class::ScopeChanged, &[("만", "도")]),
        ("배포 _ 알린다.", Class::OrderChanged, &[("전에", "후에"), ("이전에", "이후에")]),
        ("_ 캐시를 지운다.", Class::OrderChanged, &[("먼저", "마지막으로")]),
    ]);
    for (old, new, class) in [
        ("설정을 변경하지 않는다.", "설정을 변경한다.", Class::NegationLost),
        ("설정을 변경하지 마세요.", "설정을 변경하세요.", Class::NegationLost),
        ("설정을 변경할 수 없다.", "설정을 변경할 수 있다.", Class::NegationLost),
        ("설정을 변경할 수 있습니다.", "설정을 변경할 수 없습니다.", Class::NegationAdded),
        ("관리자를 제외하고 알린다.", "관리자를 알린다.", Class::ExceptionLost),
    ] {
        let findings = blocking(old, new);
        assert!(findings.iter().any(|(named, _)| *named == class), "{old} / {new}: {findings:?}");
    }
}

#[test]
fn korean_rephrased() {
    silent(&[
        ("참고로, 로그는 7일 보관한다.", "로그는 7 일 보관한다."),
        ("README.md를 API로 보낸다.", "README.md 를 API 로 보낸다."),
    ]);
    reworded(&[
        ("테스트를 실행합니다.", "테스트를 실행한다."),
        ("테스트를 실행하세요.", "테스트 실행."),
        ("설정을 변경하지 마세요.", "설정을 변경하지 않습니다."),
        ("반드시 테스트를 실행해야 합니다.", "반드시 테스트를 실행해야 한다."),
        ("이것은 사용자의 설정입니다.", "사용자 설정이다."),
        ("폴더에 저장되어 있습니다.", "디렉토리에 저장되어 있다."),
        ("관리자의 승인을 받아야 합니다.", "관리자 승인을 받아야 한다."),
        ("폴더에 저장한다.", "디렉터리에 저장합니다."),
        ("파일을 꼼꼼하게 검토하십시오.", "파일을 검토한다."),
    ]);
}

#[test]
fn korean_words_are_quoted_whole() {
    changes("답변은 _로 작성한다.", &[("한국어", "영어"), ("영어", "일본어")]);
    changes("_에 회의를 한다.", &[("월요일", "금요일"), ("오전", "오후")]);
    changes(
        "_ 변경은 승인이 필요하다.",
        &[("데이터베이스", "캐시"), ("서버", "클라이언트"), ("문서", "설정")],
    );
    changes("기능을 _한다.", &[("활성화", "비활성화"), ("공개", "비공개")]);
    blocked(&[
        ("사용자가 삭제한다.", "사용자를 삭제한다."),
        ("관리자만 변경한다.", "관리자가 변경한다."),
        ("배포했다.", "배포한다."),
        ("30초 기다린다.", "60초 기다린다."),
    ]);
    assert_eq!(blocking("30초 기다린다.", "60초 기다린다.")[0].0, Class::NumberChanged);
}

#[test]
fn thai_claims() {
    claims(&[
        (
            "_รันการทดสอบทุกวัน",
            Class::Weaker,
            &[("ต้อง", "ควร"), ("จะต้อง", "อาจ"), ("ควร", "สามารถ"), ("จำเป็นต้อง", "แนะนำให้")],
        ),
        ("_รันการทดสอบทุกวัน", Class::Stronger, &[("ควร", "ต้อง"), ("อาจจะ", "ต้อง")]),
        (
            "_แก้ไขไฟล์นี้",
            Class::Weaker,
            &[("ห้าม", "หลีกเลี่ยง"), ("อย่า", "ไม่ควร"), ("ต้องไม่", "ไม่แนะนำให้")],
        ),
        (
            "_แก้ไขไฟล์นี้",
            Class::NegationLost,
            &[("ห้าม", "ต้อง"), ("ห้าม", "อนุญาตให้"), ("อย่า", "ควร"), ("ต้องไม่", "ต้อง")],
        ),
        (
            "_แก้ไขไฟล์นี้",
            Class::NegationAdded,
            &[("ต้อง", "ห้าม"), ("สามารถ", "ไม่สามารถ"), ("ควร", "ไม่ควร")],
        ),
        (
            "สำรองข้อมูล_",
            Class::Weaker,
            &[("เสมอ", "บางครั้ง"), ("ทุกครั้ง", "บางครั้ง"), ("ตลอดเวลา", "บ่อยครั้ง")],
        ),
        (
            "ลองใหม่_ 3 ครั้ง",
            Class::BoundChanged,
            &[("อย่างน้อย", "ไม่เกิน"), ("มากกว่า", "น้อยกว่า"), ("ไม่น้อยกว่า", "ไม่เกิน")],
        ),
        ("ขนาด_ 8 GB", Class::BoundChanged, &[("ขั้นต่ำ", "สูงสุด")]),
        ("ตรวจสอบ_ไฟล์", Class::ScopeChanged, &[("ทุก", "บาง"), ("เฉพาะ", "ทุก"), ("แต่ละ", "บาง")]),
        ("แก้ไขไฟล์นี้_", Class::ScopeChanged, &[("เท่านั้น", "ด้วย"), ("ทั้งหมด", "บางส่วน")]),
        (
            "แจ้งทีม_เดพลอย",
            Class::OrderChanged,
            &[("ก่อน", "หลัง"), ("ก่อนที่จะ", "หลังจาก"), ("หลังจาก", "ก่อน")],
        ),
        ("_แจ้งทีม", Class::OrderChanged, &[("อันดับแรก", "สุดท้าย")]),
    ]);
    for (old, new) in
        [("ห้ามลบไฟล์ ยกเว้นไฟล์ชั่วคราว", "ห้ามลบไฟล์"), ("ห้ามแก้ไขไฟล์ เว้นแต่ได้รับอนุมัติ", "ห้ามแก้ไขไฟล์")]
    {
        let findings = blocking(old, new);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].0, Class::ExceptionLost, "{findings:?}");
    }
}

#[test]
fn thai_rephrased() {
    silent(&[
        ("กรุณารันการทดสอบก่อน", "รันการทดสอบก่อน"),
        ("รอ ๓๐ วินาที", "รอ 30 วินาที"),
        ("ห้าม ลบ ไฟล์ config", "ห้ามลบไฟล์config"),
        ("ตรวจสอบไฟล์ต่าง ๆ", "ตรวจสอบไฟล์ต่างๆ"),
    ]);
    reworded(&[
        ("ต้องทำการตรวจสอบไฟล์", "ต้องตรวจสอบไฟล์"),
        ("ตัวอย่างเช่น ไฟล์ของผู้ใช้งาน", "เช่น ไฟล์ผู้ใช้"),
        ("ห้ามแก้ไขไฟล์ในโฟลเดอร์นี้", "อย่าแก้ไขไฟล์ในไดเรกทอรีนี้"),
        ("ถ้าการทดสอบล้มเหลว ให้หยุด", "หากการทดสอบล้มเหลว หยุด"),
        ("ตรวจสอบไฟล์ต่าง ๆ อย่างละเอียด", "ตรวจสอบไฟล์"),
        ("ก่อนที่จะเดพลอย กรุณาอ่านเอกสารให้ละเอียด", "ก่อนเดพลอย อ่านเอกสาร"),
        ("อัพเดทเวอร์ชั่นของแอพ", "อัปเดตเวอร์ชันแอป"),
    ]);
}

#[test]
fn thai_words_are_quoted_whole() {
    changes("ตอบเป็น_", &[("ภาษาไทย", "ภาษาอังกฤษ"), ("ภาษาจีน", "ภาษาญี่ปุ่น")]);
    changes("ประชุม_", &[("วันจันทร์", "วันศุกร์"), ("เช้า", "บ่าย")]);
    changes("แก้ไข_ก่อน", &[("ฐานข้อมูล", "แคช"), ("เอกสาร", "โค้ด"), ("เซิร์ฟเวอร์", "ไคลเอนต์")]);
    changes("_ฟีเจอร์นี้", &[("เปิด", "ปิด"), ("แสดง", "ซ่อน"), ("ทดสอบ", "อธิบาย")]);
    blocked(&[
        ("ใช้ไฟล์นี้ได้", "ใช้ไฟล์นี้ไม่ได้"),
        ("ไม่ต้องอนุมัติ", "ต้องไม่อนุมัติ"),
        ("ลบแคช", "ลบโค้ด"),
        ("รอ ๓๐ วินาที", "รอ ๖๐ วินาที"),
    ]);
}

/// A letter that is taken apart is damage, not another word; texts that both have it are equal.
#[test]
fn letters_taken_apart() {
    for text in [
        "ガイドをプッシュする前に、必ずデバッグする。",
        "설정을 변경하지 마세요.",
        "변경 전에 반드시 테스트를 실행해야 합니다.",
    ] {
        let apart: String = text.nfd().collect();
        assert_eq!(found(&apart, &apart), []);
        let findings = found(text, &apart);
        assert!(!findings.is_empty(), "{text}");
        for (class, _) in findings {
            assert_eq!(class, Class::EncodingDecomposed, "{text}");
        }
    }
    let text = "ต้องทำตามข้อกำหนดและจำเป็นต้องนำเข้าคำสั่ง";
    let apart = text.replace('\u{e33}', "\u{e4d}\u{e32}");
    let findings = found(text, &apart);
    assert!(!findings.is_empty());
    for (class, _) in findings {
        assert_eq!(class, Class::EncodingDecomposed);
    }
}

/// Each word of a listed pair in place of the other is its opposite.
#[test]
fn opposites() {
    for (language, sentence) in [
        (Language::Chinese, "日志：_。"),
        (Language::Japanese, "ログ：_。"),
        (Language::Korean, "로그: _."),
        (Language::Thai, "แคช: _"),
    ] {
        for (one, other) in &Lexicon::of(language).pairs {
            for (old, new) in [(one, other), (other, one)] {
                let [from, to] = [old, new].map(|word| sentence.replace('_', word));
                let findings = blocking(&from, &to);
                assert_eq!(findings.len(), 1, "{from} / {to}: {findings:?}");
                // A word that claims has the name of its family.
                assert!(
                    matches!(
                        findings[0].0,
                        Class::Opposite
                            | Class::Weaker
                            | Class::Stronger
                            | Class::NegationLost
                            | Class::NegationAdded
                            | Class::BoundChanged
                            | Class::ScopeChanged
                            | Class::OrderChanged
                    ),
                    "{from} / {to}: {findings:?}"
                );
            }
        }
    }
}

/// A word that is a unit behind a number is one there, too, after it was seen without.
#[test]
fn what_was_seen_of_a_word_before_changes_no_answer() {
    let mut gate = Gate::default();
    gate.compare(&["按天和周汇总。"], "按天和周汇总日志。");
    let (old, new) = ("日志保留 7 天。", "日志保留 7 周。");
    let report = gate.compare(&[old], new);
    assert_eq!(report.findings.len(), 1);
    assert_eq!(report.findings[0].class, Class::UnitChanged);
    assert_eq!(report, compare(&[old], new));
}
