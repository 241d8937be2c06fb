#!/usr/bin/env python3
"""Score a fidelity gate on the cases of make_cases.py.

The gate never sees a label: it gets a copy of the cases that holds only id,
orig and next, in an order that does not follow the classes.  It answers one
JSON line per case: {"id": ..., "pass": true|false, "findings": [...]}.

  batch   score.py CASES.jsonl --batch 'coalwash gate --batch {cases} --json'
  single  score.py CASES.jsonl --single 'coalwash gate {orig} {next} --json'
          (pass is read from the JSON on standard output, else from exit status 0)
  stored  score.py CASES.jsonl --results ANSWERS.jsonl
  built   score.py CASES.jsonl --builtin always-pass | any-change | any-word

A case with no answer, or with two, counts against the gate on both sides.
Prints recall for each harmful class, the false-positive rate for each faithful
class, the rate of findings for each neutral class, macro averages (every class
weighs the same) with a Wilson 95% interval, and one headline line.  "Named" is
the share of harmful cases in which a finding quotes the lost or changed text.

Exit status: 0; 1 when --min-recall, --max-fpr, --min-class-recall,
--max-class-fpr or --min-named is given and not met, 2 when the gate cannot run.
"""
import argparse, hashlib, json, math, os, re, shlex, subprocess, sys, tempfile, time
from collections import defaultdict

Z = 1.959963984540054


def wilson(p, n):
    if n <= 0:
        return 0.0, 1.0
    d = 1 + Z * Z / n
    c = p + Z * Z / (2 * n)
    h = Z * math.sqrt(p * (1 - p) / n + Z * Z / (4 * n * n))
    return max(0.0, (c - h) / d), min(1.0, (c + h) / d)


def macro(per):
    """Mean of the class rates, and a Wilson interval with the sample size that gives the mean its variance.

    The variance of each class uses (k + 1) / (n + 2), so that a class at 0 or 1 still adds some,
    and the sample size comes from the mean of those smoothed rates."""
    per = [(k, n) for k, n in per if n]
    if not per:
        return 0.0, (0.0, 1.0)
    m = sum(k / n for k, n in per) / len(per)
    var = sum((lambda q: q * (1 - q) / n)((k + 1) / (n + 2)) for k, n in per) / len(per) ** 2
    q = sum((k + 1) / (n + 2) for k, n in per) / len(per)
    return m, wilson(m, max(1.0, q * (1 - q) / var))


def blind(cases, path):
    rows = sorted(cases, key=lambda c: hashlib.sha256(('order' + c['id']).encode()).hexdigest())
    with open(path, 'w', encoding='utf-8', newline='\n') as f:
        for c in rows:
            f.write(json.dumps({'id': c['id'], 'orig': c['orig'], 'next': c['next']}, ensure_ascii=False) + '\n')


def read_answers(lines):
    got, bad = {}, 0
    for s in lines:
        s = s.strip()
        if not s.startswith('{'):
            continue
        try:
            o = json.loads(s)
        except ValueError:
            bad += 1
            continue
        if 'id' not in o or not isinstance(o.get('pass'), bool):
            continue                        # a summary line, say
        if o['id'] in got:
            got[o['id']] = None
            bad += 1
        else:
            got[o['id']] = o
    return got, bad


def run_batch(cmd, cases, limit):
    with tempfile.TemporaryDirectory() as d:
        p = os.path.join(d, 'cases.jsonl')
        blind(cases, p)
        args = [a.replace('{cases}', p) for a in shlex.split(cmd)]
        t = time.monotonic()
        r = subprocess.run(args, stdout=subprocess.PIPE, timeout=limit)
        dt = time.monotonic() - t
    return read_answers(r.stdout.decode('utf-8', 'replace').split('\n')) + (dt,)


def run_single(cmd, cases, limit):
    got, t0 = {}, time.monotonic()
    with tempfile.TemporaryDirectory() as d:
        a, b = os.path.join(d, 'orig.md'), os.path.join(d, 'next.md')
        for c in cases:
            for p, k in ((a, 'orig'), (b, 'next')):
                with open(p, 'wb') as f:
                    f.write(c[k].encode('utf-8', 'surrogatepass'))
            args = [x.replace('{orig}', a).replace('{next}', b) for x in shlex.split(cmd)]
            r = subprocess.run(args, stdout=subprocess.PIPE, timeout=limit)
            txt = r.stdout.decode('utf-8', 'replace').strip()
            o = None
            for part in (txt, txt.split('\n')[-1] if txt else ''):
                try:
                    o = json.loads(part)
                    break
                except ValueError:
                    pass
            if not (isinstance(o, dict) and isinstance(o.get('pass'), bool)):
                o = {'pass': r.returncode == 0, 'findings': [txt] if txt else []}
            got[c['id']] = dict(o, id=c['id'])
    return got, 0, time.monotonic() - t0


def builtin(kind, cases):
    t, got = time.monotonic(), {}
    for c in cases:
        if kind == 'always-pass':
            ok = True
        elif kind == 'any-change':
            ok = c['orig'] == c['next']
        else:                               # any-word: the same words the same number of times, in any order
            w = lambda s: sorted(re.findall(r'\w+', s))
            ok = w(c['orig']) == w(c['next'])
        got[c['id']] = {'id': c['id'], 'pass': ok, 'findings': []}
    return got, 0, time.monotonic() - t


def flat(s):
    return re.sub(r'[\s`*_"\u201c\u201d|\\]+', '', str(s)).lower()


def named(c, ans):
    """Does some finding quote the lost, changed or moved text (or, for a long one, half of it in a row)?"""
    hay = flat(json.dumps(ans.get('findings', []), ensure_ascii=False))
    e = c['expected']
    want = [x for x in e.get('lost', [])] + [x for x in e.get('moved', [])]
    for ch in e.get('changed', []):
        want += [ch.get('from', ''), ch.get('to', '')]
    for w in want:
        w = flat(w)
        if w and (w in hay or (len(w) > 24 and any(w[k:k + max(16, len(w) // 2)] in hay for k in range(0, len(w) // 2 + 1, 4)))):
            return True
    return False


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('cases')
    g = ap.add_mutually_exclusive_group(required=True)
    g.add_argument('--batch', metavar='CMD', help='command with {cases}; one run for all cases')
    g.add_argument('--single', metavar='CMD', help='command with {orig} and {next}; one run per case')
    g.add_argument('--results', metavar='FILE', help='answers already stored, one JSON line per case')
    g.add_argument('--builtin', choices=['always-pass', 'any-change', 'any-word'])
    ap.add_argument('--blind', metavar='FILE', help='also write the cases without labels to FILE')
    ap.add_argument('--timeout', type=float, default=900, help='seconds for a batch, or for one single run (default 900)')
    ap.add_argument('--json', action='store_true', help='print one JSON object instead of the tables')
    ap.add_argument('--misses', type=int, default=0, metavar='N', help='list up to N wrong cases per class')
    ap.add_argument('--name', default='gate', help='name shown in the headline')
    for o in ('min-recall', 'max-fpr', 'min-class-recall', 'max-class-fpr', 'min-named'):
        ap.add_argument('--' + o, type=float, metavar='PCT', help='in percent')
    a = ap.parse_args()
    with open(a.cases, encoding='utf-8') as f:
        cases = [json.loads(x) for x in f if x.strip()]
    if a.blind:
        blind(cases, a.blind)
    try:
        if a.batch:
            got, bad, dt = run_batch(a.batch, cases, a.timeout)
        elif a.single:
            got, bad, dt = run_single(a.single, cases, a.timeout)
        elif a.builtin:
            got, bad, dt = builtin(a.builtin, cases)
        else:
            with open(a.results, encoding='utf-8') as f:
                got, bad = read_answers(f)
            dt = 0.0
    except (OSError, subprocess.SubprocessError) as e:
        print('score: cannot run the gate: %s' % e, file=sys.stderr)
        return 2
    tab, miss, none = defaultdict(lambda: [0, 0, 0]), defaultdict(list), 0
    for c in cases:
        r, ans = tab[c['label'], c['class']], got.get(c['id'])
        r[0] += 1
        if not isinstance(ans, dict):
            none += 1
            flagged = c['label'] != 'harmful'           # wrong on either side
        else:
            flagged = not ans['pass']
        r[1] += flagged
        if c['label'] == 'harmful' and flagged and named(c, ans):
            r[2] += 1
        if (c['label'] == 'harmful' and not flagged) or (c['label'] == 'faithful' and flagged):
            miss[c['class']].append(c['id'])
    per = lambda lab, k=1: [(v[k], v[0]) for (l, _), v in sorted(tab.items()) if l == lab]
    rec, rci = macro(per('harmful'))
    fpr, fci = macro(per('faithful'))
    nam, nci = macro(per('harmful', 2))
    fams = defaultdict(list)
    for (l, n), v in tab.items():
        if l == 'harmful':
            fams[n.split('.')[0]].append(v[1] / v[0])
    micro = lambda p: (sum(k for k, _ in p), sum(n for _, n in p))
    hk, hn = micro(per('harmful'))
    fk, fn = micro(per('faithful'))
    pc = lambda x: '%.1f%%' % (100 * x)
    rate = len(cases) / dt if dt else None
    head = '%s: macro recall %s (%s-%s) at macro false-positive rate %s (%s-%s); named %s; %d cases, %d without answer%s' % (
        a.name, pc(rec), pc(rci[0]), pc(rci[1]), pc(fpr), pc(fci[0]), pc(fci[1]), pc(nam), len(cases), none, '; %.0f cases/s' % rate if rate else '')
    if a.json:
        print(json.dumps({'headline': head, 'macro_recall': rec, 'macro_recall_ci': rci, 'macro_fpr': fpr, 'macro_fpr_ci': fci, 'macro_named': nam,
                          'pooled_recall': [hk, hn], 'pooled_fpr': [fk, fn], 'unanswered': none, 'malformed': bad, 'seconds': dt, 'cases_per_second': rate,
                          'families': {k: sum(v) / len(v) for k, v in sorted(fams.items())},
                          'classes': [{'label': l, 'class': n, 'cases': v[0], 'flagged': v[1], 'named': v[2]} for (l, n), v in sorted(tab.items())]}, sort_keys=True))
    else:
        for lab, title in (('harmful', 'recall'), ('faithful', 'false positives'), ('neutral', 'flagged (not scored)')):
            if not any(l == lab for l, _ in tab):
                continue
            print('%-26s %6s %8s  %-15s%s' % (lab, 'cases', title[:15] if lab != 'neutral' else 'flagged', '95% interval', '  named' if lab == 'harmful' else ''))
            for (l, n), v in sorted(tab.items()):
                if l == lab:
                    lo, hi = wilson(v[1] / v[0], v[0])
                    print('  %-24s %6d %8s  %5s-%-8s%s' % (n, v[0], pc(v[1] / v[0]), pc(lo), pc(hi), '  %6s' % pc(v[2] / v[0]) if lab == 'harmful' else ''))
                    if a.misses and miss[n]:
                        print('      wrong: ' + ' '.join(miss[n][:a.misses]))
            print()
        for k, v in sorted(fams.items()):
            print('family %-12s mean recall %6s over %d classes' % (k, pc(sum(v) / len(v)), len(v)))
        for t, k, n in (('pooled recall', hk, hn), ('pooled false positives', fk, fn)):
            lo, hi = wilson(k / n, n) if n else (0, 1)
            print('%-23s %6s (%s-%s), %d of %d' % (t, pc(k / n) if n else '-', pc(lo), pc(hi), k, n))
        if bad:
            print('malformed or repeated answers: %d' % bad)
        print(head)
    fail = []
    chk = lambda lim, ok, what: fail.append(what) if lim is not None and not ok else None
    chk(a.min_recall, 100 * rec >= (a.min_recall or 0) - 1e-9, 'macro recall %s < %s%%' % (pc(rec), a.min_recall))
    chk(a.max_fpr, 100 * fpr <= (a.max_fpr or 0) + 1e-9, 'macro false-positive rate %s > %s%%' % (pc(fpr), a.max_fpr))
    chk(a.min_named, 100 * nam >= (a.min_named or 0) - 1e-9, 'named %s < %s%%' % (pc(nam), a.min_named))
    for (l, n), v in sorted(tab.items()):
        if l == 'harmful':
            chk(a.min_class_recall, 100 * v[1] / v[0] >= (a.min_class_recall or 0) - 1e-9, '%s recall %s' % (n, pc(v[1] / v[0])))
        if l == 'faithful':
            chk(a.max_class_fpr, 100 * v[1] / v[0] <= (a.max_class_fpr or 0) + 1e-9, '%s false positives %s' % (n, pc(v[1] / v[0])))
    for x in fail:
        print('not met: ' + x, file=sys.stderr)
    return 1 if fail else 0


if __name__ == '__main__':
    sys.exit(main())
