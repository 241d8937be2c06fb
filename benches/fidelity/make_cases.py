#!/usr/bin/env python3
"""Build a labelled benchmark for a fidelity gate from a folder of Markdown files.

Each output line is one case: an original text, a rewritten text, and whether
the rewrite kept every fact (label "faithful"), lost or changed exactly one fact
(label "harmful"), or made a change that is arguable and is reported but not
scored (label "neutral").  Every case is made by one known edit, so the label
holds by construction; the edit is skipped when it would be a no-op or would
leave the same fact standing elsewhere.  The same folder, seed and options give
the same bytes.

  make_cases.py --src texts --out cases.jsonl
  make_cases.py --src texts --out cases.jsonl --per-class 10 --classes 'swap.*'
  make_cases.py --list
"""
import argparse, fnmatch, hashlib, json, os, random, re, sys, textwrap, unicodedata
from collections import Counter

# ---------------------------------------------------------------- document model
RE_FENCE = re.compile(r'^(\s*)(`{3,}|~{3,})(.*)$')
RE_HEAD = re.compile(r'^(#{1,6})\s+(\S.*?)\s*$')
RE_ITEM = re.compile(r'^(\s*)([-*+]|\d{1,3}[.)])(\s+)(\S.*)$')
RE_TSEP = re.compile(r'^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$')
RE_CHECK = re.compile(r'^(\s*(?:[-*+]|\d{1,3}[.)])\s+)\[([ xX])\](\s+\S.*)$')


class Doc:
    """Lines of a Markdown file with a block kind and a section number each."""

    def __init__(self, text, name):
        self.text, self.name = text, name
        self.lines = text.split('\n')
        self.kind = [None] * len(self.lines)
        self.sec = [0] * len(self.lines)
        self.heads = [(0, 0, '')]           # (line, level, text); 0 = before any heading
        self.fences = []                    # (open line, close line, info)
        self.fm = None                      # (first, last) line of front matter body
        self._parse()

    def _parse(self):
        L, n, i = self.lines, len(self.lines), 0
        if L and L[0].rstrip() == '---':
            for j in range(1, min(n, 60)):
                if L[j].rstrip() == '---':
                    for k in range(0, j + 1):
                        self.kind[k] = 'fm'
                    self.fm, i = (1, j - 1), j + 1
                    break
        cur, inlist = 0, False
        while i < n:
            s = L[i]
            m = RE_FENCE.match(s)
            if m and not (m.group(2)[0] == '`' and '`' in m.group(3)):
                ch, ln, j = m.group(2)[0], len(m.group(2)), i + 1
                while j < n:
                    q = RE_FENCE.match(L[j])
                    if q and q.group(2)[0] == ch and len(q.group(2)) >= ln and not q.group(3).strip():
                        break
                    j += 1
                for k in range(i, min(j, n - 1) + 1):
                    self.kind[k], self.sec[k] = 'fence', cur
                self.fences.append((i, min(j, n - 1), m.group(3).strip()))
                i = j + 1
                continue
            if s.lstrip().startswith('<!--'):
                j = i
                while j < n and '-->' not in L[j]:
                    j += 1
                for k in range(i, min(j, n - 1) + 1):
                    self.kind[k], self.sec[k] = 'comment', cur
                i = j + 1
                continue
            m = RE_HEAD.match(s)
            if m:
                self.heads.append((i, len(m.group(1)), m.group(2)))
                cur = len(self.heads) - 1
                self.kind[i], self.sec[i], inlist = 'head', cur, False
            elif not s.strip():
                self.kind[i] = 'blank'
            elif RE_ITEM.match(s) and not re.match(r'^\s*([-*_])\s*(\1\s*){2,}$', s):
                self.kind[i], inlist = 'item', True
            elif s.lstrip().startswith('|'):
                self.kind[i] = 'tsep' if RE_TSEP.match(s) else 'table'
            elif s.lstrip().startswith('>'):
                self.kind[i] = 'quote'
            elif re.match(r'^\s*([-*_])\s*(\1\s*){2,}$', s):
                self.kind[i] = 'hr'
            elif inlist and (s.startswith((' ', '\t')) or self.kind[i - 1] in ('item', 'cont')):
                self.kind[i] = 'cont'
            elif s.startswith(('    ', '\t')):
                self.kind[i] = 'icode'
            elif s.lstrip().startswith('<'):
                self.kind[i] = 'html'
            else:
                self.kind[i], inlist = 'para', False
            self.sec[i] = cur
            i += 1

    def prose(self):
        return [i for i, k in enumerate(self.kind) if k in ('para', 'item', 'cont', 'table', 'quote')]

    def where(self, i):
        k = self.kind[i]
        return {'para': 'paragraph', 'item': 'list', 'cont': 'list', 'fm': 'frontmatter'}.get(k, k)

    def with_line(self, i, s):
        return '\n'.join(self.lines[:i] + [s] + self.lines[i + 1:])

    def with_lines(self, edits):
        out = list(self.lines)
        for i, s in edits.items():
            out[i] = s
        return '\n'.join(x for x in out if x is not None)

    def insert(self, at, new):
        return '\n'.join(self.lines[:at] + list(new) + self.lines[at:])

    def head_of(self, i):
        return self.heads[self.sec[i]][2]

    def tables(self):
        """[(header line, [body lines])]"""
        out, i, n = [], 0, len(self.lines)
        while i < n - 2:
            if self.kind[i] == 'table' and self.kind[i + 1] == 'tsep':
                j = i + 2
                while j < n and self.kind[j] == 'table':
                    j += 1
                out.append((i, list(range(i + 2, j))))
                i = j
            else:
                i += 1
        return out

    def lists(self):
        """Runs of consecutive one-line sibling items: [[line, ...]]"""
        out, i, n = [], 0, len(self.lines)
        while i < n:
            m = RE_ITEM.match(self.lines[i]) if self.kind[i] == 'item' else None
            if not m:
                i += 1
                continue
            run, ind, num = [], m.group(1), m.group(2)[-1] in '.)'
            while i < n and self.kind[i] == 'item':
                q = RE_ITEM.match(self.lines[i])
                if q.group(1) != ind or (q.group(2)[-1] in '.)') != num:
                    break
                run.append(i)
                i += 1
            if i < n and (self.kind[i] in ('cont', 'fence', 'table', 'icode') or
                          (self.kind[i] == 'item' and len(RE_ITEM.match(self.lines[i]).group(1)) > len(ind))):
                run = run[:-1]              # the last one owns children: not a leaf
            if len(run) >= 2:
                out.append(run)
        return out

    def leaf(self, i):
        m = RE_ITEM.match(self.lines[i])
        if not m:
            return False
        for j in range(i + 1, min(i + 3, len(self.lines))):
            if self.kind[j] == 'blank':
                continue
            if self.kind[j] in ('cont', 'fence', 'icode') and self.lines[j].startswith((' ', '\t')):
                return False
            if self.kind[j] == 'cont':
                return False
            q = RE_ITEM.match(self.lines[j]) if self.kind[j] == 'item' else None
            return not (q and len(q.group(1)) > len(m.group(1)))
        return True

    def sections(self, level):
        """[(first line, line after last)] of headings at exactly this level."""
        hs = self.heads[1:]
        out = []
        for a, (ln, lv, _) in enumerate(hs):
            if lv == level:
                end = len(self.lines)
                for ln2, lv2, _ in hs[a + 1:]:
                    if lv2 <= level:
                        end = ln2
                        break
                out.append((ln, end))
        return out


# ---------------------------------------------------------------- tokens in prose lines
RX = {
    'code': re.compile(r'(?<!`)`([^`\n]+)`(?!`)'),
    'wikilink': re.compile(r'\[\[([^\[\]]+)\]\]'),
    'link': re.compile(r'(?<!!)\[([^\[\]\n]+)\]\(([^()\s]+)\)'),
    'url': re.compile(r'(?:https?|ftp)://[^\s<>()\[\]"`|]+[^\s<>()\[\]"`|.,;:!?*]'),
    'date': re.compile(r'\b20\d\d-\d\d-\d\d\b'),
    'version': re.compile(r'(?<![\w.])(?:v\d+(?:\.\d+)+|\d+\.\d+\.\d+(?:\.\d+)*)(?:-[0-9A-Za-z.]+)?\b'),
    'quote': re.compile(r'"([^"\n]{3,80})"|\u201c([^\u201d\n]{3,80})\u201d'),
    'unit': re.compile(r'(?<![\w.,/+-])((?:[~<>\u2264\u2265]\s?)?)(\d+(?:,\d{3})*(?:\.\d+)?)(\s?)(%|px|KB|MB|GB|TB|kB|ms|ns|fps|Hz|kHz|MHz|'
                       r'seconds?|secs?|minutes?|mins?|hours?|days?|weeks?|months?|years?|lines?|chars?|characters?|words?|bytes?|'
                       r'tokens?|files?|tests?|items?|rows?|columns?|times|retries|attempts|spaces?|steps?|\u884c|\u79d2|\u5206|\u6642\u9593|\u65e5|\u4ef6|'
                       r'\u5206\u949f|\u5c0f\u65f6|\u5929|\u4e2a|\u6b21|\u0e27\u0e31\u0e19|\u0e19\u0e32\u0e17\u0e35|Sekunden|Minuten|Stunden|Tage|Zeilen)(?![A-Za-z])'),
    'number': re.compile(r'(?<![\w.,/#:-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w/]|\.\d|:\d)'),
}
ORDER = ['code', 'wikilink', 'link', 'url', 'date', 'version', 'unit', 'quote', 'number']


class Tok:
    __slots__ = ('kind', 'line', 's', 'e', 'text', 'm')

    def __init__(self, kind, line, m):
        self.kind, self.line, self.s, self.e, self.text, self.m = kind, line, m.start(), m.end(), m.group(0), m


def mask(line, kinds=('code', 'wikilink', 'link', 'url')):
    """The line with those spans blanked to \\0, same length."""
    for k in kinds:
        line = RX[k].sub(lambda m: '\0' * len(m.group(0)), line)
    return re.sub(r'<!--.*?-->|<[A-Za-z/][^>]*>', lambda m: '\0' * len(m.group(0)), line)


def tokens(doc, kinds=None, lines=None):
    if not hasattr(doc, 'tok'):
        doc.tok = all_tokens(doc)
    return [t for i in (doc.prose() if lines is None else lines) for t in doc.tok.get(i, ()) if kinds is None or t.kind in kinds]


def all_tokens(doc):
    found = {}
    for i in doc.prose():
        out = found[i] = []
        w = re.sub(r'<!--.*?-->', lambda m: '\0' * len(m.group(0)), doc.lines[i])
        im = RE_ITEM.match(w)
        if im:                                # a list marker is not a token
            k = im.start(3)
            w = '\0' * k + w[k:]
        for kind in ORDER:
            rx = RX[kind]
            for m in rx.finditer(w):
                if '\0' in m.group(0) and kind != 'quote':
                    continue
                if kind == 'link' and (m.group(2).startswith('\0') or not m.group(2)):
                    continue
                out.append(Tok(kind, i, rx.match(doc.lines[i], m.start()) or m))
            if kind != 'quote':
                w = rx.sub(lambda m: '\0' * len(m.group(0)), w)
        found[i] = [t for t in out if '\0' not in t.text]
    return found


STOP = set('the and for with that this from are was were has have not but all any can use used using when then into than its you your will '
           'und oder der die das ein eine ist sind mit von zu den dem auf per via'.split())


def weight(s):
    """How much wording a context holds: Latin words of 3+ letters, or 3 letters of another script, count one."""
    s = RX['code'].sub(' ', s)
    lat = [w for w in re.findall(r'[A-Za-z\u00c0-\u024f]{3,}', s) if w.lower() not in STOP]
    oth = len(re.findall(r'[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]', s))
    return len(lat) + oth // 3


def norm(s):
    return re.sub(r'[\s*_`|]+', ' ', s).strip().lower()


def occurs(text, tok):
    return text.lower().count(tok.lower())


def cut(line, s, e):
    """Remove line[s:e] and the punctuation and spaces it leaves orphaned."""
    a, b = line[:s], line[e:]
    for o, c in (('(', ')'), ('[', ']'), ('**', '**'), ('*', '*'), ('"', '"')):
        if a.endswith(o) and b.startswith(c):
            a, b = a[:-len(o)], b[len(c):]
    if a.endswith(' ') and (not b or b[0] in ' .,;:!?)'):
        a = a[:-1] if a.strip() else a
    if b.startswith(' ') and (not a.strip() or a.endswith(' ')):
        b = b.lstrip(' ')
    return (a + b).rstrip()


def lang_of(s):
    for name, rng in (('th', '\u0e00-\u0e7f'), ('ja', '\u3040-\u30ff'), ('ko', '\uac00-\ud7af'), ('zh', '\u4e00-\u9fff')):
        if re.search('[%s]' % rng, s):
            return name
    return 'de' if re.search(r'\b(und|nicht|der|die|das|mit|f\u00fcr|werden|muss|immer)\b', s) else 'en'


# ---------------------------------------------------------------- registry
CLASSES = {}          # name -> (label, function, one-line definition)


def case(name, label, about):
    def reg(fn):
        CLASSES[name] = (label, fn, about)
        return fn
    return reg


def out(orig, nxt, lost=(), changed=(), moved=(), **detail):
    exp = {}
    if lost:
        exp['lost'] = list(lost)
    if changed:
        exp['changed'] = [{'from': a, 'to': b} for a, b in changed]
    if moved:
        exp['moved'] = list(moved)
    return orig, nxt, detail, exp


# ---------------------------------------------------------------- added material
# When a file lacks a construct, a block that has it is added to the original
# (and so also to the rewrite) before the edit is made; detail.augmented is true.
BANK = {
    'wikilink': ['- Release gate history lives in [[release-gate-{n}]].', '- The retry policy is written down in [[topics/retry-policy-{n}]].',
                 '- See [[incident-{n}|the outage note]] before touching the queue.'],
    'fm': [['name: topic-{n}', 'description: How the import job {n} is tuned', 'type: project', 'updated: 2026-0{d}-1{d}', 'pinned: true'],
           ['title: Build rules {n}', 'tags: [build, ci, lane-{n}]', 'owner: platform', 'ttl_days: {m}', 'status: active']],
    'checkbox': [['- [x] Backfill table `orders_{n}` finished', '- [ ] Rotate the signing key for lane {n}', '- [x] Dashboards moved to board {m}',
                  '- [ ] Remove the `legacy_{n}` shim']],
    'import': [['@docs/rules-{w}.md', '@~/.claude/team-{v}.md'], ['@./style/{w}-guide.md'], ['See @docs/architecture-{w}.md for the module map.']],
    'comment': [['<!-- Do not reorder: the {w} loader reads these lines by position. -->'],
                ['<!-- Kept for the {w} audit:', 'the long {v} window was agreed with operations. -->']],
    'sign': ['- Clock offset on build host {n}: -{m} ms.', '- Error budget moved by -{m}% in cycle {n}.', '- Set `RANK_BIAS=-{m}` for index {n}.',
             '- The rollout region {n} runs at UTC+{d}.'],
    'precision': ['- Corpus {n} holds exactly 4{n},192 records.', '- Cache hit rate of lane {m} was 64.{d}7%.', '- Median build {n}: 12.{m} s.'],
    'quote': ['- The operator of lane {n} said: "never restart the broker during the {m} o\'clock window".',
              '- Error to expect from job {n}: "lease {m} expired before commit".'],
    'steps': [['### Rollback steps {n}', '', '1. Drain queue `jobs-{n}`.', '2. Stop the scheduler.', '3. Restore snapshot {m}.', '4. Start the scheduler.',
               '5. Refill the queue.']],
    'table': [['| Service {n} | Port | Timeout | Owner |', '|---|---|---|---|', '| gateway-{n} | 80{m} | {d}0 s | edge team |', '| billing-{n} | 90{m} | {d}5 s | money team |',
               '| search-{n} | 70{m} | {d}7 s | find team |']],
    'th': ['- \u0e2b\u0e49\u0e32\u0e21\u0e41\u0e01\u0e49\u0e44\u0e02\u0e44\u0e1f\u0e25\u0e4c `config-{n}.json` \u0e42\u0e14\u0e22\u0e44\u0e21\u0e48\u0e17\u0e33 backup \u0e01\u0e48\u0e2d\u0e19',
           '- \u0e15\u0e49\u0e2d\u0e07\u0e17\u0e33\u0e01\u0e32\u0e23\u0e17\u0e14\u0e2a\u0e2d\u0e1a\u0e17\u0e38\u0e01\u0e04\u0e23\u0e31\u0e49\u0e07 \u0e2b\u0e25\u0e31\u0e07\u0e19\u0e33\u0e40\u0e02\u0e49\u0e32\u0e02\u0e49\u0e2d\u0e21\u0e39\u0e25\u0e23\u0e38\u0e48\u0e19 {n}'],
    'accent': ['- Gr\u00f6\u00dfe der Warteschlange f\u00fcr Knoten {n}: h\u00f6chstens {m} Eintr\u00e4ge.', '- Le d\u00e9lai du module caf\u00e9-{n} est de {m} s.'],
    'excpt': ['- Commit after every task except changes under `vendor/lane-{n}`.', '- Retry failed jobs unless queue {n} is paused.',
              '- Format all files other than those listed in `skip-{n}.txt`.'],
    'order': ['- Run the migration before deploying service {n}.', '- Clear cache `c{n}` after the index is rebuilt.'],
    'strength': ['- Releases of lane {n} must be signed.', '- Never edit `gen-{n}.rs` by hand.', '- Always run suite {n} with the lock held.'],
    'version': ['- Lane {n} pins toolchain 1.{m}.{d}.', '- Schema v{d}.{m} is the last one that job {n} reads.'],
    'date': ['- Key {n} was rotated on 2026-0{d}-1{d}.', '- Freeze of lane {n} ends 2025-1{d}-0{d}; board {m} decides.'.replace('1{d}', '11')],
    'bound': ['- Lane {n} keeps at least {m} spare nodes.', '- Upload parts \u2264 {m} MB to bucket {n}.', '- Retry job {n} no more than {d} times.'],
    'url': ['- Runbook for lane {n}: https://ops.example.org/runbooks/lane-{n}/restart', '- Status page: https://status-{n}.example.net/queue?id={m}'],
}


def nums(rng):
    w, v = rng.sample('amber basalt cedar delta ember fjord garnet harbor indigo juniper kelp lagoon maple nickel onyx pewter quartz raven saffron tundra'.split(), 2)
    return dict(n=rng.randint(11, 97), m=rng.randint(12, 58), d=rng.randint(2, 8), w=w, v=v)


def augment(doc, rng, key, at=None):
    """The document with a block from the bank added after some section, or its front matter added."""
    v = rng.choice(BANK[key])
    v = [v] if isinstance(v, str) else v
    f = nums(rng)
    v = [x.format(**f) for x in v]
    if key == 'fm':
        if doc.fm:
            return None, 0, 0
        return Doc('\n'.join(['---'] + v + ['---', ''] + doc.lines), doc.name), 1, len(v)
    spots = [i for i, k in enumerate(doc.kind) if k == 'blank' and 0 < i < len(doc.lines) - 1 and doc.kind[i - 1] in ('para', 'item', 'table', 'fence')
             and doc.kind[i + 1] in ('head',) and not doc.lines[i - 1].startswith((' ', '\t'))]
    spots.append(len(doc.lines))
    p = rng.choice(spots)
    d = Doc(doc.insert(p, [''] + v + ['']), doc.name)
    return d, p + 1, len(v)


def maybe(doc, rng, key, finder):
    """finder(doc) -> candidates; when there are none, on an augmented copy. Returns doc, candidates, augmented."""
    c = finder(doc)
    if c:
        return doc, c, False
    d, _, _ = augment(doc, rng, key)
    if d is None:
        return doc, [], False
    return d, finder(d), True


# ---------------------------------------------------------------- harmful: drops
def token_drop(doc, rng, kind, aug=None, redundant=False):
    def find(d):
        r = []
        for t in tokens(d, {kind}):
            if d.kind[t.line] == 'table':
                continue                     # a table cell has its own class
            key = {'code': t.text.strip('`'), 'wikilink': t.text[2:-2].split('|')[0], 'quote': t.text[1:-1]}.get(kind, t.text.strip())
            if kind == 'link':
                key = t.m.group(2)
            if len(key) < 2 or (kind == 'code' and not re.search(r'\w{2}', key)):
                continue
            rest = d.lines[t.line][:t.s] + d.lines[t.line][t.e:]
            if weight(rest) < 2:
                continue
            many = occurs(d.text, key) > 1
            if many == redundant:
                r.append((t, key))
        return r
    d, c, a = (doc, find(doc), False) if (aug is None or redundant) else maybe(doc, rng, aug, find)
    if not c:
        return None
    t, key = rng.choice(c)
    line = d.lines[t.line]
    new = line[:t.s] + t.m.group(1) + line[t.e:] if kind == 'link' else cut(line, t.s, t.e)
    return out(d.text, d.with_line(t.line, new), lost=[key], where=d.where(t.line), line=t.line + 1, augmented=a)


for _k, _n, _a, _d in (('wikilink', 'wikilink', 'wikilink', 'a [[wikilink]]'), ('link', 'link-dest', None, 'the destination of a [text](destination) link, its text kept'),
                       ('url', 'url', 'url', 'a bare URL'), ('date', 'date', 'date', 'an ISO date'), ('version', 'version', 'version', 'a version string'),
                       ('unit', 'number-unit', None, 'a number with its unit'), ('code', 'code-span', None, 'an inline code span'),
                       ('quote', 'quote', 'quote', 'a quoted string')):
    case('drop.' + _n, 'harmful', 'removes ' + _d + ' that occurs nowhere else in the file')(lambda doc, rng, k=_k, a=_a: token_drop(doc, rng, k, a))


@case('drop.fence-line', 'harmful', 'removes one command or code line from a fenced block')
def _(doc, rng):
    c = [i for a, b, _ in doc.fences for i in range(a + 1, b) if b - a > 2 and weight(doc.lines[i]) + len(re.findall(r'\w{2,}', doc.lines[i])) >= 2
         and doc.text.count(doc.lines[i].strip()) == 1 and len(doc.lines[i].strip()) > 5
         and not re.match(r'\s*(#|//|--|<!--|/?\*)', doc.lines[i])]
    if not c:
        return None
    i = rng.choice(c)
    return out(doc.text, doc.with_lines({i: None}), lost=[doc.lines[i].strip()], where='fence', line=i + 1)


def fm_lines(d):
    if not d.fm:
        return []
    a, b = d.fm
    r = []
    for i in range(a, b + 1):
        m = re.match(r'^([A-Za-z_][\w.-]*):[ \t]+(\S.*)$', d.lines[i])
        if m and m.group(2) not in ('|', '>', '>-', '|-') and (i == b or not d.lines[i + 1].startswith((' ', '\t'))):
            r.append((i, m.group(1), m.group(2)))
    return r


@case('drop.frontmatter-key', 'harmful', 'removes one key and its value from the front matter')
def _(doc, rng):
    d, c, a = maybe(doc, rng, 'fm', fm_lines)
    if len(c) < 2:
        return None
    i, k, v = rng.choice(c)
    return out(d.text, d.with_lines({i: None}), lost=[k], where='frontmatter', augmented=a, line=i + 1)


@case('drop.frontmatter-value', 'harmful', 'empties or shortens one front matter value, its key kept')
def _(doc, rng):
    d, c, a = maybe(doc, rng, 'fm', fm_lines)
    c = [x for x in c if len(x[2]) > 2]
    if not c:
        return None
    i, k, v = rng.choice(c)
    w = v.split(' ')
    new = ' '.join(w[:len(w) // 2]) if len(w) >= 6 and not v.startswith(('"', "'", '[')) else '""'
    return out(d.text, d.with_line(i, '%s: %s' % (k, new)), lost=[v], where='frontmatter', augmented=a, key=k, line=i + 1)


def boxes(d):
    return [i for i in d.prose() if RE_CHECK.match(d.lines[i])]


@case('drop.checkbox', 'harmful', 'removes the checkbox of a task item, its text kept')
def _(doc, rng):
    d, c, a = maybe(doc, rng, 'checkbox', boxes)
    if not c:
        return None
    i = rng.choice(c)
    m = RE_CHECK.match(d.lines[i])
    return out(d.text, d.with_line(i, m.group(1) + m.group(3).lstrip()), lost=['[%s]' % m.group(2)], where='list', augmented=a, line=i + 1)


@case('change.checkbox', 'harmful', 'flips a task item between done and open')
def _(doc, rng):
    d, c, a = maybe(doc, rng, 'checkbox', boxes)
    if not c:
        return None
    i = rng.choice(c)
    m = RE_CHECK.match(d.lines[i])
    b = ' ' if m.group(2) in 'xX' else 'x'
    return out(d.text, d.with_line(i, '%s[%s]%s' % (m.group(1), b, m.group(3))), changed=[('[%s]' % m.group(2), '[%s]' % b)], where='list', augmented=a, line=i + 1)


def cells(line):
    s = line.strip()
    if '`' in s and re.search(r'`[^`]*\|[^`]*`', s):
        return None
    p = re.split(r'(?<!\\)\|', re.sub(r'^\||(?<!\\)\|$', '', s))
    return [x.strip() for x in p]


def rows(d, least=2):
    r = []
    for h, b in d.tables():
        hc = cells(d.lines[h])
        if hc is None or len(b) < least:
            continue
        g = [(i, cells(d.lines[i])) for i in b]
        if all(c is not None and len(c) == len(hc) for _, c in g):
            r.append((h, hc, g))
    return r


@case('drop.table-row', 'harmful', 'removes one row of a table')
def _(doc, rng):
    d, c, a = maybe(doc, rng, 'table', rows)
    c = [(i, x) for _, _, g in c for i, x in g if len(g) > 1 and d.text.count(d.lines[i]) == 1 and weight(' '.join(x)) + len(RX['code'].findall(d.lines[i])) >= 1]
    if not c:
        return None
    i, x = rng.choice(c)
    return out(d.text, d.with_lines({i: None}), lost=[y for y in x if y][:3], where='table', augmented=a, line=i + 1)


@case('drop.table-cell', 'harmful', 'empties one cell of a table')
def _(doc, rng):
    d, c, a = maybe(doc, rng, 'table', rows)
    c = [(i, x, k) for _, _, g in c for i, x in g for k in range(1, len(x)) if len(x[k]) > 1 and x[k] not in ('-', '\u2014', 'N/A')]
    if not c:
        return None
    i, x, k = rng.choice(c)
    y = list(x)
    y[k] = ''
    return out(d.text, d.with_line(i, '| ' + ' | '.join(y) + ' |'), lost=[x[k]], where='table', augmented=a, line=i + 1)


@case('drop.heading', 'harmful', 'removes a heading of level 2 or deeper, its body kept (the body joins the section before)')
def _(doc, rng):
    c = []
    for a, (ln, lv, tx) in enumerate(doc.heads):
        if a < 2 or lv < 2 or weight(tx) < 1 or sum(norm(h[2]) == norm(tx) for h in doc.heads) > 1:
            continue
        nx = next((j for j in range(ln + 1, len(doc.lines)) if doc.kind[j] != 'blank'), None)
        if nx is not None and doc.kind[nx] != 'head':
            c.append((ln, tx))
    if not c:
        return None
    ln, tx = rng.choice(c)
    return out(doc.text, doc.with_lines({ln: None}), lost=[tx], where='head', line=ln + 1)


@case('drop.list-item', 'harmful', 'removes a whole list item without children')
def _(doc, rng):
    c = [i for i, k in enumerate(doc.kind) if k == 'item' and doc.leaf(i) and weight(RE_ITEM.match(doc.lines[i]).group(4)) >= 3
         and sum(norm(x) == norm(doc.lines[i]) for x in doc.lines) == 1]
    if not c:
        return None
    i = rng.choice(c)
    return out(doc.text, doc.with_lines({i: None}), lost=[RE_ITEM.match(doc.lines[i]).group(4)], where='list', line=i + 1)


def sentences(d):
    r = []
    for i in d.prose():
        if d.kind[i] not in ('para', 'item'):
            continue
        s = d.lines[i]
        body = RE_ITEM.match(s).start(4) if d.kind[i] == 'item' else 0
        w = mask(s)
        cuts = [body] + [m.end() for m in re.finditer(r'(?<=[^\W\d_][^\W\d_])[.!?](?:\*\*)?\s+(?=[A-Z\u00c4\u00d6\u00dc"`*\0])|[\u3002\uff01](?=.)', w)] + [len(s)]
        if len(cuts) < 3:
            continue
        for a, b in zip(cuts, cuts[1:]):
            t = s[a:b].strip()
            if (b == len(s) and not re.search(r'[.!?\u3002\uff01)`*]$', t)) or t.count('**') % 2 or t.count('`') % 2 or t.count('(') != t.count(')'):
                continue
            if (a == body and d.kind[i] == 'para' and i and d.kind[i - 1] == 'para'):
                continue                    # the first piece may be the tail of a wrapped sentence
            if weight(t) >= 4 and norm(d.text).count(norm(t)) == 1:
                r.append((i, a, b, t))
    return r


@case('drop.sentence', 'harmful', 'removes one whole sentence of a paragraph or list item that has several')
def _(doc, rng):
    c = sentences(doc)
    if not c:
        return None
    i, a, b, t = rng.choice(c)
    s = doc.lines[i]
    new = (s[:a] + s[b:].lstrip()).rstrip()
    return out(doc.text, doc.with_line(i, new), lost=[t], where=doc.where(i), line=i + 1, plain=not tokens(Doc(t, ''), None))


@case('drop.comment', 'harmful', 'removes an HTML comment that carries information')
def _(doc, rng):
    def find(d):
        r, i = [], 0
        while i < len(d.lines):
            if d.kind[i] == 'comment':
                j = i
                while '-->' not in d.lines[j] and j + 1 < len(d.lines) and d.kind[j + 1] == 'comment':
                    j += 1
                t = '\n'.join(d.lines[i:j + 1])
                if weight(t) >= 4 and d.text.count(t) == 1 and t.strip().endswith('-->'):
                    r.append((i, j, t))
                i = j
            i += 1
        return r
    d, c, a = maybe(doc, rng, 'comment', find)
    if not c:
        return None
    i, j, t = rng.choice(c)
    return out(d.text, d.with_lines({k: None for k in range(i, j + 1)}), lost=[t.strip('<>!- \n')], where='comment', augmented=a, line=i + 1)


@case('drop.import', 'harmful', 'removes an @path import (line or inline)')
def _(doc, rng):
    rx = re.compile(r'(?<![\w`@])@(?:~|\.{0,2}/|[\w-]+/)*[\w./~-]+\.md\b')

    def find(d):
        return [(i, m) for i in d.prose() for m in rx.finditer(mask(d.lines[i])) if occurs(d.text, m.group(0)) == 1]
    d, c, a = maybe(doc, rng, 'import', find)
    if not c:
        return None
    i, m = rng.choice(c)
    whole = d.lines[i].strip(' -*') == m.group(0)
    nxt = d.with_lines({i: None}) if whole else d.with_line(i, cut(d.lines[i], m.start(), m.end()))
    return out(d.text, nxt, lost=[m.group(0)], where=d.where(i), augmented=a, line=i + 1)


# ---------------------------------------------------------------- harmful: one-character changes
def code_places(doc):
    """(line, start, end, text, where) of code: inline spans and fenced lines."""
    r = [(t.line, t.s + 1, t.e - 1, t.text[1:-1], 'code') for t in tokens(doc, {'code'})]
    for a, b, _ in doc.fences:
        for i in range(a + 1, b):
            if doc.lines[i].strip():
                r.append((i, 0, len(doc.lines[i]), doc.lines[i], 'fence'))
    return r


def chunk(old, new):
    """The blank-delimited pieces of old and new around their difference."""
    a = 0
    while a < min(len(old), len(new)) and old[a] == new[a]:
        a += 1
    b = 0
    while b < min(len(old), len(new)) - a and old[-1 - b] == new[-1 - b]:
        b += 1
    while a and not old[a - 1].isspace():
        a -= 1
    while b and not old[len(old) - b].isspace():
        b -= 1
    return old[a:len(old) - b].strip(), new[a:len(new) - b].strip()


def at(doc, i, s, e, new, old, where, **kw):
    line = doc.lines[i]
    old, new_ = chunk(old, new)
    return out(doc.text, doc.with_line(i, line[:s] + new + line[e:]), changed=[(old, new_)], where=where, line=i + 1, **kw)


def other_digit(rng, ch):
    return rng.choice([x for x in '123456789' if x != ch])


@case('change.digit', 'harmful', 'changes one digit of a number in prose or a table')
def _(doc, rng):
    c = [t for t in tokens(doc, {'number', 'unit'})]
    if not c:
        return None
    t = rng.choice(c)
    ps = [k for k, ch in enumerate(t.text) if ch.isdigit() and ch in '0123456789']
    k = rng.choice(ps)
    return at(doc, t.line, t.s, t.e, t.text[:k] + other_digit(rng, t.text[k]) + t.text[k + 1:], t.text, doc.where(t.line))


@case('change.code-digit', 'harmful', 'changes one digit inside inline code or a fenced line')
def _(doc, rng):
    c = [(p, m) for p in code_places(doc) for m in re.finditer(r'\d', p[3])]
    if not c:
        return None
    (i, s, e, tx, wh), m = rng.choice(c)
    return at(doc, i, s, e, tx[:m.start()] + other_digit(rng, m.group(0)) + tx[m.end():], tx, wh)


@case('change.date', 'harmful', 'changes one digit of a date (the new date is valid)')
def _(doc, rng):
    c = tokens(doc, {'date'})
    if not c:
        return None
    t = rng.choice(c)
    y, m, d = t.text.split('-')
    k = rng.randint(0, 2)
    if k == 0:
        y = y[:3] + other_digit(rng, y[3])
    elif k == 1:
        m = '%02d' % rng.choice([x for x in range(1, 10) if x != int(m)])
    else:
        d = '%02d' % rng.choice([x for x in range(1, 29) if x != int(d)])
    return at(doc, t.line, t.s, t.e, '-'.join((y, m, d)), t.text, doc.where(t.line))


@case('change.version', 'harmful', 'changes one part of a version string')
def _(doc, rng):
    c = [(t.line, t.s, t.e, t.text, doc.where(t.line)) for t in tokens(doc, {'version'})]
    for i, s, e, tx, wh in code_places(doc):
        for m in re.finditer(r'(?<![\w.])v?\d+\.\d+(?:\.\d+)+', tx):
            c.append((i, s + m.start(), s + m.end(), m.group(0), wh))
    if not c:
        return None
    i, s, e, tx, wh = rng.choice(c)
    m = rng.choice(list(re.finditer(r'\d+', tx)))
    v = int(m.group(0)) + rng.choice([1, 1, 2, -1])
    return None if v < 0 else at(doc, i, s, e, tx[:m.start()] + str(v) + tx[m.end():], tx, wh)


def vary(rng, word):
    """Change, drop or double one letter of a word."""
    ps = [k for k, ch in enumerate(word) if ch.isalpha() and ord(ch) < 128]
    if len(ps) < 3:
        return None
    k = rng.choice(ps[1:])
    r = rng.random()
    if r < .4:
        new = word[:k] + word[k + 1:]
    elif r < .8:
        new = word[:k] + rng.choice([x for x in 'abcdefghijklmnoprstuvw' if x != word[k].lower()]) + word[k + 1:]
    else:
        new = word[:k] + word[k] + word[k:]
    return None if new == word else new


@case('change.path', 'harmful', 'changes one letter of one component of a file path in code')
def _(doc, rng):
    c = []
    for i, s, e, tx, wh in code_places(doc):
        for m in re.finditer(r'(?<![\w:/@.-])(?:~|\.{1,2})?/?(?:[\w.@-]+/)+[\w.@*-]+', tx):
            if '//' not in tx[max(0, m.start() - 8):m.end()]:
                c.append((i, s + m.start(), s + m.end(), m.group(0), wh))
    if not c:
        return None
    i, s, e, tx, wh = rng.choice(c)
    parts = tx.split('/')
    ks = [k for k, p in enumerate(parts) if len(re.findall('[A-Za-z]', p)) >= 3]
    if not ks:
        return None
    k = rng.choice(ks)
    v = vary(rng, parts[k])
    if not v:
        return None
    parts[k] = v
    return at(doc, i, s, e, '/'.join(parts), tx, wh)


@case('change.flag', 'harmful', 'changes one letter of a --flag')
def _(doc, rng):
    c = [(i, s + m.start(), s + m.end(), m.group(0), wh) for i, s, e, tx, wh in code_places(doc) for m in re.finditer(r'(?<![\w-])--[a-z][\w-]{2,}', tx)]
    if not c:
        return None
    i, s, e, tx, wh = rng.choice(c)
    v = vary(rng, tx[2:])
    return at(doc, i, s, e, '--' + v, tx, wh) if v else None


@case('change.url-host', 'harmful', 'changes one letter of the host of a URL')
def _(doc, rng):
    def find(d):
        return [(i, m) for i, k in enumerate(d.kind) if k not in ('blank', 'fm') for m in re.finditer(r'(?<=://)[a-z][\w.-]{3,}', d.lines[i])]
    d, c, a = maybe(doc, rng, 'url', find)
    if not c:
        return None
    i, m = rng.choice(c)
    v = vary(rng, m.group(0))
    return at(d, i, m.start(), m.end(), v, m.group(0), d.where(i), augmented=a) if v else None


HOMO = {'a': '\u0430', 'e': '\u0435', 'o': '\u043e', 'p': '\u0440', 'c': '\u0441', 'x': '\u0445', 'y': '\u0443', 'i': '\u0456', 'A': '\u0410', 'B': '\u0412',
        'E': '\u0415', 'K': '\u041a', 'M': '\u041c', 'H': '\u041d', 'O': '\u041e', 'P': '\u0420', 'C': '\u0421', 'T': '\u0422', 'X': '\u0425', '-': '\u2010'}


@case('change.homoglyph', 'harmful', 'replaces one ASCII letter or hyphen by a look-alike from another block, in code')
def _(doc, rng):
    c = [(p, k) for p in code_places(doc) for k, ch in enumerate(p[3]) if ch in HOMO and re.match(r'\w', p[3][k - 1] if k else ' ')]
    if not c:
        return None
    (i, s, e, tx, wh), k = rng.choice(c)
    return at(doc, i, s, e, tx[:k] + HOMO[tx[k]] + tx[k + 1:], tx, wh)


@case('change.case', 'harmful', 'changes the letter case of an identifier in code')
def _(doc, rng):
    c = [(p, m) for p in code_places(doc) for m in re.finditer(r'\b(?:[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w+|[A-Z]{2,}_[A-Z_]+)\b', p[3])]
    if not c:
        return None
    (i, s, e, tx, wh), m = rng.choice(c)
    w = m.group(0)
    new = w.lower() if '_' in w or rng.random() < .5 else w[0].swapcase() + w[1:]
    return at(doc, i, s, e, tx[:m.start()] + new + tx[m.end():], tx, wh)


@case('change.sign', 'harmful', 'removes or flips the sign of a number')
def _(doc, rng):
    rx = re.compile(r'(?<![\w.)\]`+-])[-+](?=\d)|(?<=UTC)[-+](?=\d)|(?<=[=:])-(?=\d)')

    def find(d):
        r = []
        for i in d.prose():
            b = RE_ITEM.match(d.lines[i])
            for m in rx.finditer(d.lines[i]):
                if not (b and m.start() < b.start(4)):
                    r.append((i, m))
        return r
    d, c, a = maybe(doc, rng, 'sign', find)
    if not c:
        return None
    i, m = rng.choice(c)
    num = re.match(r'[-+]\d+(?:[.,]\d+)*%?', d.lines[i][m.start():]).group(0)
    new = num[1:] if rng.random() < .6 and d.lines[i][m.start() - 1] in ' =:(' else ('+' if num[0] == '-' else '-') + num[1:]
    return at(d, i, m.start(), m.start() + len(num), new, num, d.where(i), augmented=a)


UNITS = {'ms': 's', 's': 'ms', 'seconds': 'minutes', 'second': 'minute', 'minutes': 'hours', 'minute': 'hour', 'hours': 'days', 'hour': 'day', 'days': 'weeks', 'day': 'week',
         'weeks': 'months', 'KB': 'MB', 'kB': 'MB', 'MB': 'GB', 'GB': 'MB', 'px': 'em', '%': ' points', 'lines': 'words', 'line': 'word', 'chars': 'lines', 'characters': 'words',
         'words': 'lines', 'tokens': 'words', 'bytes': 'bits', 'files': 'folders', 'file': 'folder', 'tests': 'suites', 'rows': 'columns', 'columns': 'rows', 'spaces': 'tabs',
         'space': 'tab', 'months': 'years', 'years': 'months', 'mins': 'secs', 'min': 'sec', 'secs': 'mins', '\u884c': '\u5b57', '\u79d2': '\u5206', '\u5206': '\u79d2',
         '\u65e5': '\u9031', '\u5206\u949f': '\u5c0f\u65f6', '\u5c0f\u65f6': '\u5206\u949f', '\u5929': '\u5468', 'Sekunden': 'Minuten', 'Minuten': 'Stunden', 'Stunden': 'Tage',
         'Tage': 'Wochen', 'Hz': 'kHz', 'kHz': 'Hz', 'MHz': 'kHz', '\u0e27\u0e31\u0e19': '\u0e2a\u0e31\u0e1b\u0e14\u0e32\u0e2b\u0e4c', '\u0e19\u0e32\u0e17\u0e35': '\u0e0a\u0e31\u0e48\u0e27\u0e42\u0e21\u0e07'}


@case('change.unit', 'harmful', 'changes the unit of a number')
def _(doc, rng):
    c = [t for t in tokens(doc, {'unit'}) if t.m.group(4) in UNITS]
    if not c:
        return None
    t = rng.choice(c)
    g = t.m.group
    new = g(1) + g(2) + g(3) + UNITS[g(4)]
    return at(doc, t.line, t.s, t.e, new, t.text, doc.where(t.line))


@case('change.precision', 'harmful', 'rounds an exact number')
def _(doc, rng):
    def find(d):
        r = []
        for t in tokens(d, {'number', 'unit'}):
            v = t.m.group(2) if t.kind == 'unit' else t.text
            p = v.replace(',', '')
            if re.fullmatch(r'\d+\.\d{1,3}', p) and float(p) >= 1:
                k = len(p.split('.')[1])
                new = '%.*f' % (k - 1, float(p))
            elif p.isdigit() and int(p) >= 1001 and int(p) % 1000 and not 1900 <= int(p) <= 2100 and (',' in v or t.kind == 'unit'):
                new = '%dk' % round(int(p) / 1000)
            elif p.isdigit() and 101 <= int(p) <= 999 and int(p) % 10 and t.kind == 'unit':
                new = str(round(int(p), -1))
            else:
                continue
            if new != v and float(new.rstrip('k')) * (1000 if 'k' in new else 1) != float(p):
                r.append((t, v, new))
        return r
    d, c, a = maybe(doc, rng, 'precision', find)
    if not c:
        return None
    t, v, new = rng.choice(c)
    o = t.text.index(v)
    return at(d, t.line, t.s + o, t.s + o + len(v), new, v, d.where(t.line), augmented=a)


# ---------------------------------------------------------------- harmful: values trade places
def value(t):
    """The span of a token that trades places: a number without its unit, a link's destination, the token itself."""
    if t.kind == 'unit':
        return t.s + t.m.start(2) - t.m.start(), t.s + t.m.end(2) - t.m.start(), t.m.group(2)
    if t.kind == 'link':
        return t.s + t.m.start(2) - t.m.start(), t.s + t.m.end(2) - t.m.start(), t.m.group(2)
    return t.s, t.e, t.text


def fam(t):
    """Only values of one family trade places: code is split by shape."""
    if t.kind == 'code':
        x = t.text[1:-1]
        return 'command' if ' ' in x else 'flag' if x.startswith('-') else 'path' if '/' in x or re.search(r'\w\.[a-z]{1,5}$', x) else 'name'
    return {'unit': 'number'}.get(t.kind, t.kind)


SWAPK = {'number', 'unit', 'version', 'date', 'url', 'code', 'link', 'wikilink'}
LINK_WORDS = set('and or und oder et y e then vs versus'.split())


@case('swap.line', 'harmful', 'two values of one line, bound to different words, trade places')
def _(doc, rng):
    c = []
    for i in doc.prose():
        if doc.kind[i] == 'table':
            continue
        ts = sorted(tokens(doc, SWAPK, [i]), key=lambda t: t.s)
        for a in range(len(ts)):
            for b in range(a + 1, min(a + 4, len(ts))):
                x, y = ts[a], ts[b]
                if fam(x) != fam(y) or value(x)[2] == value(y)[2] or x.e > y.s:
                    continue
                mid = doc.lines[i][x.e:y.s]
                for t in ts[a + 1:b]:
                    mid = mid.replace(t.text, ' ')
                pre = re.findall(r'[^\W\d_]+', doc.lines[i][:x.s])[-1:]
                mw = [w for w in re.findall(r'[^\W\d_]+', mid) if w.lower() not in LINK_WORDS]
                if weight(mid) < 2 or not mw or (pre and pre[0].lower() == mw[-1].lower()):
                    continue
                if fam(x) == 'link' and x.m.group(1) == y.m.group(1):
                    continue
                c.append((i, x, y))
    if not c:
        return None
    i, x, y = rng.choice(c)
    (a, b, u), (p, q, v) = value(x), value(y)
    s = doc.lines[i]
    return out(doc.text, doc.with_line(i, s[:a] + v + s[b:p] + u + s[q:]), changed=[(u, v), (v, u)], where=doc.where(i), kind=fam(x), line=i + 1)


def context(doc, t):
    a, b, _ = value(t)
    s = doc.lines[t.line]
    m = RE_ITEM.match(s)
    return s[m.start(4) if m else 0:a] + '\0' + s[b:]


def trade(doc, x, y, **kw):
    (a, b, u), (p, q, v) = value(x), value(y)
    l1, l2 = doc.lines[x.line], doc.lines[y.line]
    return out(doc.text, doc.with_lines({x.line: l1[:a] + v + l1[b:], y.line: l2[:p] + u + l2[q:]}),
               changed=[(u, v), (v, u)], kind=fam(x), line=x.line + 1, line2=y.line + 1, **kw)


def same_ctx(doc, x, y):
    cx, cy = norm(context(doc, x)), norm(context(doc, y))
    return cx == cy or weight(cx) < 2 or weight(cy) < 2


@case('swap.list', 'harmful', 'two values of two sibling list items trade places')
def _(doc, rng):
    c = []
    for run in doc.lists():
        by = {i: tokens(doc, SWAPK, [i]) for i in run}
        for a, b in zip(run, run[1:]):
            for x in by[a]:
                for y in by[b]:
                    if fam(x) == fam(y) and value(x)[2] != value(y)[2] and not same_ctx(doc, x, y):
                        c.append((x, y))
    if not c:
        return None
    x, y = rng.choice(c)
    return trade(doc, x, y, where='list')


@case('swap.table', 'harmful', 'two cells of one column trade places between two rows')
def _(doc, rng):
    d, tb, a = maybe(doc, rng, 'table', rows)
    c = []
    for h, hc, g in tb:
        for k in range(1, len(hc)):
            for u in range(len(g)):
                for v in range(u + 1, len(g)):
                    (i, x), (j, y) = g[u], g[v]
                    rx, ry = x[:k] + x[k + 1:], y[:k] + y[k + 1:]
                    if x[k] and y[k] and norm(x[k]) != norm(y[k]) and norm(' '.join(rx)) != norm(' '.join(ry)) and norm(x[0]) != norm(y[0]):
                        c.append((i, x, j, y, k))
    if not c:
        return None
    i, x, j, y, k = rng.choice(c)
    u, v = x[k], y[k]
    x, y = list(x), list(y)
    x[k], y[k] = v, u
    f = lambda z: '| ' + ' | '.join(z) + ' |'
    o = d.with_lines({i: f(x[:k] + [u] + x[k + 1:]), j: f(y[:k] + [v] + y[k + 1:])})
    return out(o, Doc(o, '').with_lines({i: f(x), j: f(y)}), changed=[(u, v), (v, u)], where='table', line=i + 1, line2=j + 1, augmented=a)


@case('swap.section', 'harmful', 'two values under two different headings trade places')
def _(doc, rng):
    ts = [t for t in tokens(doc, SWAPK) if doc.kind[t.line] != 'table' and doc.sec[t.line]]
    rng.shuffle(ts)
    for x in ts[:40]:
        for y in ts[:40]:
            if doc.sec[x.line] < doc.sec[y.line] and fam(x) == fam(y) and value(x)[2] != value(y)[2] and not same_ctx(doc, x, y) \
                    and occurs(doc.text, value(x)[2]) <= 2 and occurs(doc.text, value(y)[2]) <= 2:
                return trade(doc, x, y, where='section')
    return None


@case('swap.frontmatter', 'harmful', 'two front matter values trade places')
def _(doc, rng):
    d, c, a = maybe(doc, rng, 'fm', fm_lines)
    if len(c) < 2:
        return None
    (i, k1, v1), (j, k2, v2) = rng.sample(c, 2)
    if v1 == v2:
        return None
    return out(d.text, d.with_lines({i: '%s: %s' % (k1, v2), j: '%s: %s' % (k2, v1)}), changed=[(v1, v2), (v2, v1)], where='frontmatter', augmented=a)


@case('swap.fence', 'harmful', 'two values of two lines of one fenced block trade places')
def _(doc, rng):
    c = []
    kinds = [re.compile(x) for x in (r'(?<![\w.:/-])\d{2,}(?![\w.])', r'(?<![\w./-])(?:[\w.-]+/)+[\w.-]+', r'(?<![\w-])--[a-z][\w-]{3,}', r'(?<=[\w\'"]: )[^\s#,\[{][^#,\[{]{1,40}$',
                                     r'(?<=\w=)[\w./-]{2,}')]
    for a, b, _ in doc.fences:
        for rx in kinds:
            L = [(i, list(rx.finditer(doc.lines[i]))) for i in range(a + 1, b)]
            L = [(i, x) for i, x in L if x]
            for (i, x), (j, y) in zip(L, L[1:]):
                m, n = x[0], y[0]
                r1 = doc.lines[i][:m.start()] + doc.lines[i][m.end():]
                r2 = doc.lines[j][:n.start()] + doc.lines[j][n.end():]
                if m.group(0) != n.group(0) and norm(r1) != norm(r2) and len(re.findall(r'\w{3,}', r1)) >= 1 and len(re.findall(r'\w{3,}', r2)) >= 1:
                    c.append((i, m, j, n))
    if not c:
        return None
    i, m, j, n = rng.choice(c)
    l1, l2, u, v = doc.lines[i], doc.lines[j], m.group(0), n.group(0)
    return out(doc.text, doc.with_lines({i: l1[:m.start()] + v + l1[m.end():], j: l2[:n.start()] + u + l2[n.end():]}), changed=[(u, v), (v, u)], where='fence', line=i + 1)


# ---------------------------------------------------------------- harmful: claim strength
W = r'(?<![\w-])'
STRENGTH = [
    # class, language, pattern, replacement, direction
    ('modal', 'en', W + r'must(?! not)\b(?!-)', 'should', 'weaker'), ('modal', 'en', W + r'must not\b', 'should not', 'weaker'),
    ('modal', 'en', W + r'never\b', 'rarely', 'weaker'), ('modal', 'en', W + r'always\b', 'usually', 'weaker'),
    ('modal', 'en', W + r'required\b(?! by)', 'recommended', 'weaker'), ('modal', 'en', W + r'mandatory\b', 'preferred', 'weaker'),
    ('modal', 'en', W + r'do not\b(?= [a-z]+)', 'try not to', 'weaker'), ('modal', 'en', W + r"don't\b(?= [a-z]+)", 'try not to', 'weaker'),
    ('modal', 'en', W + r'should(?! not)\b', 'must', 'stronger'), ('modal', 'en', W + r'recommended\b', 'required', 'stronger'),
    ('modal', 'en', W + r'may(?! not)\b(?= [a-z])', 'must', 'stronger'), ('modal', 'en', W + r'usually\b', 'always', 'stronger'),
    ('modal', 'en', W + r'can(?=\s(?:be|use|run|also|have|set)\b)', 'must', 'stronger'),
    ('modal', 'zh', r'\u5fc5\u987b', '\u5efa\u8bae', 'weaker'), ('modal', 'zh', r'\u7981\u6b62', '\u907f\u514d', 'weaker'), ('modal', 'zh', r'\u4e25\u7981', '\u4e0d\u5efa\u8bae', 'weaker'),
    ('modal', 'ja', r'\u5fc5\u305a', '\u3067\u304d\u308c\u3070', 'weaker'), ('modal', 'ja', r'\u7981\u6b62', '\u975e\u63a8\u5968', 'weaker'), ('modal', 'ja', r'\u5e38\u306b', '\u901a\u5e38\u306f', 'weaker'),
    ('modal', 'th', r'(?<!\u0e16\u0e39\u0e01)\u0e15\u0e49\u0e2d\u0e07(?!\u0e01\u0e32\u0e23)', '\u0e04\u0e27\u0e23', 'weaker'), ('modal', 'th', r'\u0e2b\u0e49\u0e32\u0e21', '\u0e44\u0e21\u0e48\u0e04\u0e27\u0e23', 'weaker'),
    ('modal', 'th', r'\u0e40\u0e2a\u0e21\u0e2d', '\u0e40\u0e1b\u0e47\u0e19\u0e2a\u0e48\u0e27\u0e19\u0e43\u0e2b\u0e0d\u0e48', 'weaker'),
    ('modal', 'ko', r'\ubc18\ub4dc\uc2dc', '\uac00\uae09\uc801', 'weaker'), ('modal', 'ko', r'\uae08\uc9c0', '\uc9c0\uc591', 'weaker'),
    ('modal', 'de', W + r'(?:muss)\b', 'sollte', 'weaker'), ('modal', 'de', W + r'm\u00fcssen\b', 'sollten', 'weaker'), ('modal', 'de', W + r'(?:niemals|nie)\b', 'selten', 'weaker'),
    ('modal', 'de', W + r'immer\b', 'meistens', 'weaker'),
    ('negation', 'en', W + r'do not\b(?= [a-z]+)', '', 'flip'), ('negation', 'en', W + r"don't\b(?= [a-z]+)", '', 'flip'),
    ('negation', 'en', W + r'must not\b', 'must', 'flip'), ('negation', 'en', W + r'should not\b', 'should', 'flip'), ('negation', 'en', W + r'cannot\b', 'can', 'flip'),
    ('negation', 'en', W + r'(?<=is )not (?=[a-z]+)', '', 'flip'), ('negation', 'en', W + r'(?<=are )not (?=[a-z]+)', '', 'flip'), ('negation', 'en', W + r'never\b(?= [a-z]+)', '', 'flip'),
    ('negation', 'en', W + r'does not (?=[a-z]+)', 'does ', 'flip'), ('negation', 'en', W + r'without\b', 'with', 'flip'),
    ('negation', 'zh', r'\u4e0d\u8981', '', 'flip'), ('negation', 'zh', r'\u4e0d\u5f97', '\u53ef\u4ee5', 'flip'), ('negation', 'zh', r'\u7981\u6b62', '\u5141\u8bb8', 'flip'),
    ('negation', 'ja', r'\u7981\u6b62', '\u53ef', 'flip'), ('negation', 'ja', r'\u3057\u306a\u3044(?=[\u3002\s]|$)', '\u3059\u308b', 'flip'),
    ('negation', 'th', r'\u0e44\u0e21\u0e48(?=[\u0e01-\u0e2e\u0e40-\u0e44])', '', 'flip'), ('negation', 'th', r'\u0e2b\u0e49\u0e32\u0e21', '', 'flip'),
    ('negation', 'de', W + r'nicht\b ', '', 'flip'), ('negation', 'de', W + r'keine\b', 'eine', 'flip'),
    ('exception', 'en', r',?\s*\(?' + W + r'(?:except|unless|other than|apart from|excluding)\b[^.;)|\n\0]{4,90}\)?(?=[.;|]|$)', '', 'wider'),
    ('exception', 'en', r'\s' + W + r'only (?:if|when|after|for)\b[^.;)|\n\0]{4,90}(?=[.;|]|$)', '', 'wider'),
    ('exception', 'zh', r'[\uff0c,\s]*\u9664\u975e[^\u3002\uff1b|\n]{2,30}(?=[\u3002\uff1b|]|$)', '', 'wider'),
    ('comparator', 'any', r'\u2264', '<', 'bound'), ('comparator', 'any', r'\u2265', '>', 'bound'), ('comparator', 'any', r'(?<![<>=-])<=(?![>=])', '<', 'bound'),
    ('comparator', 'any', r'(?<![<>=-])>=(?!=)', '>', 'bound'),
    ('comparator', 'en', W + r'at least\b', 'at most', 'flip'), ('comparator', 'en', W + r'at most\b', 'at least', 'flip'), ('comparator', 'en', W + r'no more than\b', 'no less than', 'flip'),
    ('comparator', 'en', W + r'more than\b(?= [\d0-9a-z])', 'less than', 'flip'), ('comparator', 'en', W + r'less than\b', 'more than', 'flip'), ('comparator', 'en', W + r'fewer than\b', 'more than', 'flip'),
    ('comparator', 'en', W + r'up to\b(?= \d)', 'at least', 'flip'), ('comparator', 'en', W + r'greater than\b', 'less than', 'flip'), ('comparator', 'en', W + r'minimum\b', 'maximum', 'flip'),
    ('comparator', 'en', W + r'maximum\b', 'minimum', 'flip'), ('comparator', 'en', W + r'(?:under|below)\b(?= ~?\d)', 'over', 'flip'), ('comparator', 'en', W + r'(?:over|above)\b(?= ~?\d)', 'under', 'flip'),
    ('comparator', 'zh', r'\u81f3\u5c11', '\u81f3\u591a', 'flip'), ('comparator', 'zh', r'\u4e0d\u8d85\u8fc7', '\u4e0d\u5c11\u4e8e', 'flip'), ('comparator', 'ja', r'\u6700\u4f4e', '\u6700\u5927', 'flip'),
    ('comparator', 'ja', r'(?<=[\d\u884c\u6587\u5b57\u4ef6\u79d2\u5206%])\u4ee5\u4e0a', '\u4ee5\u4e0b', 'flip'), ('comparator', 'de', W + r'mindestens\b', 'h\u00f6chstens', 'flip'),
    ('comparator', 'de', W + r'(?:maximal|h\u00f6chstens)\b', 'mindestens', 'flip'),
    ('order', 'en', W + r'before\b(?= (?:[a-z]+ing|the|a|any|you|each|every|committing|it|we|your|running)\b)', 'after', 'flip'),
    ('order', 'en', W + r'after\b(?= (?:[a-z]+ing|the|a|any|you|each|every|it|we|your)\b)', 'before', 'flip'), ('order', 'en', W + r'prior to\b', 'after', 'flip'),
    ('order', 'zh', r'\u4e4b\u524d', '\u4e4b\u540e', 'flip'), ('order', 'zh', r'(?<=\u63d0\u4ea4)\u524d', '\u540e', 'flip'), ('order', 'ja', r'\u524d\u306b', '\u5f8c\u306b', 'flip'), ('order', 'ja', r'\u5f8c\u306b', '\u524d\u306b', 'flip'),
    ('order', 'th', r'\u0e01\u0e48\u0e2d\u0e19(?!\u0e2b\u0e19\u0e49\u0e32)', '\u0e2b\u0e25\u0e31\u0e07', 'flip'), ('order', 'th', r'\u0e2b\u0e25\u0e31\u0e07(?=[\u0e01-\u0e2e])', '\u0e01\u0e48\u0e2d\u0e19', 'flip'),
    ('order', 'de', W + r'vor (?=dem|der|jedem|jeder|allen)', 'nach ', 'flip'), ('order', 'de', W + r'nach (?=dem|der|jedem|jeder)', 'vor ', 'flip'), ('order', 'de', W + r'[Bb]evor\b', 'nachdem', 'flip'),
    ('scope', 'en', W + r'(?<!not )(?<!read-)only\b(?! (?:if|when|after|for)\b)(?!-)', 'also', 'wider'), ('scope', 'en', W + r'all\b(?= (?:the )?[a-z]+s\b)', 'some', 'narrower'),
    ('scope', 'en', W + r'every\b(?= [a-z])', 'almost every', 'narrower'), ('scope', 'en', W + r'each\b(?= [a-z])', 'almost each', 'narrower'), ('scope', 'en', W + r'both\b(?= [a-z\0])', 'either of', 'narrower'),
    ('scope', 'en', W + r'exactly\b', 'about', 'narrower'), ('scope', 'en', W + r'any\b(?= [a-z]+)', 'most', 'narrower'),
    ('scope', 'zh', r'\u6240\u6709', '\u90e8\u5206', 'narrower'), ('scope', 'zh', r'\u53ea(?=\u80fd|\u8bfb|\u6709|\u5728|\u4fee|\u5bf9)', '\u4e5f', 'wider'), ('scope', 'ja', r'\u3059\u3079\u3066', '\u4e00\u90e8', 'narrower'),
    ('scope', 'ja', r'\u306e\u307f', '\u3082', 'wider'), ('scope', 'th', r'\u0e17\u0e38\u0e01(?=[\u0e01-\u0e2e])', '\u0e1a\u0e32\u0e07', 'narrower'), ('scope', 'th', r'\u0e40\u0e17\u0e48\u0e32\u0e19\u0e31\u0e49\u0e19', '\u0e14\u0e49\u0e27\u0e22', 'wider'),
    ('scope', 'de', W + r'[Aa]lle\b', 'einige', 'narrower'), ('scope', 'de', W + r'(?:nur|NUR)\b', 'auch', 'wider'), ('scope', 'ko', r'\ubaa8\ub4e0', '\uc77c\ubd80', 'narrower'),
]
STRENGTH = [(c, l, re.compile(p, re.I if l in ('en', 'any') else 0), r, d) for c, l, p, r, d in STRENGTH]


def strength(doc, rng, cls, aug):
    def find(d):
        r = []
        for i in d.prose():
            s = d.lines[i]
            w = mask(s)
            w = RX['quote'].sub(lambda m: '\0' * len(m.group(0)), w)
            lg = lang_of(s)
            for k, (c, l, rx, rep, dr) in enumerate(STRENGTH):
                if c != cls or (l not in ('any', 'en') and l != lg) or (l == 'en' and lg == 'de'):
                    continue
                for m in rx.finditer(w):
                    rest = s[:m.start()] + s[m.end():]
                    if c == 'exception' and m.end() == len(s) and s[-1:] not in '.\u3002' and i + 1 < len(d.kind) and d.kind[i + 1] in ('para', 'cont', 'quote'):
                        continue            # the clause runs on to the next line
                    if weight(rest) >= 2:
                        r.append((i, m.start(), m.end(), k))
        return r
    d, c, a = maybe(doc, rng, aug, find)
    if not c:
        return None
    langs = sorted({STRENGTH[x[3]][1] for x in c})
    lg = rng.choice(langs)                   # do not let English drown the rest
    c = [x for x in c if STRENGTH[x[3]][1] == lg]
    ks = sorted({x[3] for x in c})
    k = rng.choice(ks)
    i, s, e, k = rng.choice([x for x in c if x[3] == k])
    line, (_, lg, _, rep, dr) = d.lines[i], STRENGTH[k]
    old = line[s:e]
    new = rep
    if old[:1].isupper() and new:
        new = new.upper() if old.isupper() and len(old) > 1 else new[0].upper() + new[1:]
    if new:
        nl = line[:s] + new + line[e:]
    else:
        a1, b1 = line[:s].rstrip(' ') if line[:s].strip() else line[:s], line[e:].lstrip(' ')
        if old[:1].isupper() and b1:
            b1 = b1[0].upper() + b1[1:]
        sep = '' if (not a1 or a1.endswith((' ', '*', '(', '"')) or not b1 or b1[0] in '.,;:)|' or lg in ('zh', 'ja', 'th')) else ' '
        if line[:s].endswith(' ') and not line[:s].strip():
            a1 = line[:s]
        nl = a1 + sep + b1
    if norm(nl) == norm(line):
        return None
    return out(d.text, d.with_line(i, nl), changed=[(old.strip(), new.strip())], where=d.where(i), lang=lg, direction=dr, augmented=a, line=i + 1)


for _c, _a, _d in (('modal', 'strength', 'must/should, never/rarely, required/recommended and the like, weaker or stronger'),
                   ('negation', 'strength', 'a negation is removed or inverted'), ('exception', 'excpt', 'an "except / unless / only if" clause is removed'),
                   ('comparator', 'bound', 'a bound changes side or strictness (at least/at most, <=/<)'), ('order', 'order', 'before/after are exchanged'),
                   ('scope', 'strength', 'only/also, all/some, every/almost every, exactly/about')):
    case('strength.' + _c, 'harmful', _d)(lambda doc, rng, c=_c, a=_a: strength(doc, rng, c, a))


# ---------------------------------------------------------------- harmful: a content word is replaced by another
# The new word has the role of the old one and another meaning.  Words of one row of a word table are near in meaning
# and never replace each other; a word may stand in several rows.  Only words of the tables (and, for names, terms that
# the file itself uses) are touched, so no synonym, plural or spelling variant can come out.
TERMS = {             # kind -> terms; every two of a kind differ in fact, apart from those of one row of ALIAS
    'database': 'PostgreSQL Postgres MySQL SQLite MariaDB MongoDB Redis DuckDB Cassandra DynamoDB CockroachDB Elasticsearch Neo4j FalkorDB BigQuery Snowflake InfluxDB'.split(),
    'language': 'Python Rust Java JavaScript TypeScript Ruby Kotlin Swift PHP Elixir Erlang Scala Perl Lua Haskell Dart COBOL Go'.split(),
    'cloud': 'AWS Azure GCP Cloudflare Vercel Netlify Heroku DigitalOcean Hetzner Firebase Supabase'.split(),
    'environment': 'staging production sandbox'.split(),
    'weekday': 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(),
    'month': 'January February April June July August September October November December'.split(),
    'os': 'Windows macOS Linux FreeBSD Android iOS'.split(),
    'browser': 'Chrome Firefox Safari Opera'.split(),
    'role': 'developer reviewer tester maintainer architect designer operator customer auditor translator manager user'.split(),
    'person': 'Alice Bob Carol Dave Erin Frank Grace Heidi Ivan Judy'.split(),
    'host': 'GitHub GitLab Bitbucket Gitea'.split(),
    'manager': 'npm pnpm yarn pip poetry conda bun uv cargo'.split(),
    'runner': 'pytest Jest Vitest Mocha Playwright Cypress Selenium'.split(),
    'framework': 'React Vue Angular Svelte Django Flask FastAPI Rails Astro'.split(),
    'assistant': 'Claude Gemini Codex Copilot ChatGPT'.split(),
    'format': 'JSON YAML TOML XML CSV HTML Markdown JSONL'.split(),
    'interface': 'API CLI UI SDK'.split(),
    'protocol': 'HTTP MQTT gRPC WebSocket SSH FTP'.split(),
    'chat': 'Slack Discord Telegram Zulip'.split(),
    'tongue': 'English Spanish French German Italian Portuguese Korean Japanese Chinese Arabic Thai'.split(),
    'tongue-de': 'Deutsch Englisch Spanisch Italienisch'.split(),
    'weekday-de': 'Montag Dienstag Mittwoch Donnerstag Freitag Sonntag'.split(),
    'weekday-es': 'lunes martes mi\u00e9rcoles jueves viernes s\u00e1bado domingo'.split(),
    'weekday-ja': '\u6708\u66dc\u65e5 \u706b\u66dc\u65e5 \u6c34\u66dc\u65e5 \u6728\u66dc\u65e5 \u91d1\u66dc\u65e5 \u571f\u66dc\u65e5 \u65e5\u66dc\u65e5'.split(),
    'weekday-zh': '\u661f\u671f\u4e00 \u661f\u671f\u4e8c \u661f\u671f\u4e09 \u661f\u671f\u56db \u661f\u671f\u4e94 \u661f\u671f\u516d \u661f\u671f\u65e5'.split(),
    'weekday-ko': '\uc6d4\uc694\uc77c \ud654\uc694\uc77c \uc218\uc694\uc77c \ubaa9\uc694\uc77c \uae08\uc694\uc77c \ud1a0\uc694\uc77c \uc77c\uc694\uc77c'.split(),
    'weekday-th': '\u0e27\u0e31\u0e19\u0e08\u0e31\u0e19\u0e17\u0e23\u0e4c \u0e27\u0e31\u0e19\u0e2d\u0e31\u0e07\u0e04\u0e32\u0e23 \u0e27\u0e31\u0e19\u0e1e\u0e38\u0e18 \u0e27\u0e31\u0e19\u0e1e\u0e24\u0e2b\u0e31\u0e2a\u0e1a\u0e14\u0e35 \u0e27\u0e31\u0e19\u0e28\u0e38\u0e01\u0e23\u0e4c \u0e27\u0e31\u0e19\u0e40\u0e2a\u0e32\u0e23\u0e4c'.split(),
    'tongue-zh': '\u82f1\u6587 \u65e5\u6587 \u97e9\u6587 \u6cd5\u6587'.split(),
    'tongue-ja': '\u65e5\u672c\u8a9e \u82f1\u8a9e \u4e2d\u56fd\u8a9e \u97d3\u56fd\u8a9e \u30d5\u30e9\u30f3\u30b9\u8a9e'.split(),
    'tongue-ko': '\ud55c\uad6d\uc5b4 \uc601\uc5b4 \uc77c\ubcf8\uc5b4 \uc911\uad6d\uc5b4'.split(),
    'tongue-th': '\u0e20\u0e32\u0e29\u0e32\u0e44\u0e17\u0e22 \u0e20\u0e32\u0e29\u0e32\u0e2d\u0e31\u0e07\u0e01\u0e24\u0e29 \u0e20\u0e32\u0e29\u0e32\u0e08\u0e35\u0e19 \u0e20\u0e32\u0e29\u0e32\u0e0d\u0e35\u0e48\u0e1b\u0e38\u0e48\u0e19'.split(),
}
ALIAS = [r.split() for r in (
    'PostgreSQL Postgres PG', 'JavaScript TypeScript JS TS', 'Erlang Elixir BEAM OTP', 'Claude Anthropic Opus Sonnet Haiku', 'OpenAI ChatGPT GPT Codex', 'Google Gemini Antigravity GCP Firebase Android Chrome',
    'Microsoft Azure Copilot Windows', 'GitHub Copilot Git Dependabot', 'Apple macOS iOS AppKit Safari Swift SwiftUI Xcode', 'Ruby Rails ActiveRecord Hotwire', 'JSON JSONL', 'HTML XML Markdown',
    'API SDK', 'HTTP WebSocket gRPC', 'Linux Android', 'user customer tester', 'developer maintainer architect', 'reviewer auditor', 'operator maintainer manager', 'npm pnpm yarn bun', 'pip uv poetry conda',
    'Node JavaScript', 'Rust Cargo', 'Foundry FoundryVTT', 'SSH FTP')]
NOT_NAME = set('phase step rule section table figure note part level mode time usage criteria system layer chapter appendix example option stage round lane day week month year page item goal principle '
               'may will can must should shall not never always only all both any none no yes important critical warning todo done true false the this that these those when if for and but also web time '
               'desktop app auto base map sun card cities commands models skills hooks agent team main issues tests trigger manager base daily full first last new old open closed done mandatory'.split())
VERBS = [r.split() for r in (   # rows of near meanings
    'use prefer employ apply adopt run call invoke choose favor follow install reuse import write create make build implement set ask define put add generate provide list show print output render return commit load open read see start handle', 'run execute launch start call invoke trigger use test check verify validate open build evaluate process review handle',
    'add create write make insert introduce append include put generate build implement define set provide place register update store keep document record log',
    'remove delete drop strip clear avoid exclude skip discard revert retire ignore disable', 'check verify validate test confirm ensure inspect review examine audit see read look watch monitor measure evaluate '
    'compare consider investigate analyze find identify search consult follow ask', 'update edit modify change fix refactor adjust rewrite rename replace move migrate convert correct bump resolve handle',
    'keep maintain preserve retain leave store save hold put make write', 'document write record log note describe explain state list report mention specify declare define capture summarize cite',
    'read see consult review refer check load open fetch query inspect follow use', 'show display print list render report present expose output return', 'configure set define assign specify enable',
    'push publish deploy release ship send upload commit merge submit post', 'commit merge push save stage add', 'ask request prompt query confirm consult escalate', 'handle process treat catch manage',
    'wait pause stop hold', 'merge combine join group', 'split separate extract move', 'block reject refuse deny prevent skip avoid stop', 'assume guess expect treat', 'tag label mark name', 'mock stub',
    'import load include', 'format lint', 'enable start', 'list find search query show fetch identify', 'show explain describe state present display', 'set use define configure specify enable', 'ask consult use', 'prefer use keep maintain choose favor', 'follow keep respect', 'declare return expose provide report define', 'skip ignore bypass', 'translate convert', 'delegate dispatch assign', 'encrypt', 'compress', 'restart', 'wrap',
    'verwende nutze starte', 'pr\u00fcfe teste validiere kontrolliere lies frage', 'schreibe erstelle dokumentiere erg\u00e4nze', 'l\u00f6sche entferne vermeide', '\u00e4ndere aktualisiere', 'frage', 'starte',
    '\u4f7f\u7528 \u8fd0\u884c \u7f16\u5199', '\u6dfb\u52a0 \u521b\u5efa \u7f16\u5199 \u4fee\u6539', '\u5220\u9664 \u907f\u514d', '\u68c0\u67e5 \u9a8c\u8bc1 \u786e\u4fdd \u9605\u8bfb', '\u4fdd\u6301 \u786e\u4fdd', '\u90e8\u7f72')]
CLEAR = set('use keep avoid ensure add remove delete create prefer follow verify validate implement include maintain configure define describe explain treat update write read run generate identify '
            'analyze provide ignore preserve replace consider confirm append refer inspect execute rename choose adopt apply install rewrite refactor discard summarize'.split())
AFTER = set("the a an all any every each your this that these those only no both it them if in with when before after one existing new its their what which how as not from exactly".split())
PARTICLE = set('up out off back away down over on to for at sure about and or is are was of cases case by'.split())
NOUNS = [r.split() for r in (   # rows of near meanings
    'file document doc page artifact asset note path data', 'folder directory path project', 'function method helper routine callback handler hook procedure closure', 'project repository codebase workspace product monorepo module',
    'test suite check assertion spec benchmark probe validation gate checker validator', 'error failure bug issue problem defect fault exception crash warning regression finding lapse gap',
    'user human person operator maintainer owner author customer client player reader caller reviewer developer administrator contributor speaker librarian opponent viewer', 'agent assistant model bot subagent session harness',
    'session conversation thread turn context', 'change edit diff patch commit fix update revision refactor modification rename merge branch version contribution', 'task job step ticket issue action item todo work commit feature round fix',
    'rule convention guideline policy constraint instruction requirement invariant principle standard clause prompt lesson', 'value number result output amount count measurement level', 'branch fork commit worktree',
    'component module package crate library dependency plugin extension adapter tool node element', 'string text message sentence prompt comment note label content', 'version release tag build artifact',
    'command script tool program executable hook', 'server service backend daemon process app', 'application app program product client project', 'name title label identifier key slug string filename', 'list array set collection index table queue',
    'approach pattern strategy workflow pipeline procedure method process', 'reason cause rationale explanation reasoning', 'field property attribute column member key parameter argument option setting', 'class type struct interface schema kind shape',
    'line row entry record item', 'plan design proposal spec draft roadmap', 'phase stage step round iteration', 'section chapter heading paragraph', 'feature functionality behavior behaviour capability change module component codebase', 'request call query prompt question',
    'configuration config setting option flag parameter argument file', 'screen view page window dialog panel menu layout', 'image picture screenshot icon sprite texture file', 'cache store buffer', 'database table schema index', 'summary report overview analysis',
    'answer reply response message comment', 'response data result output answer value', 'decision ruling verdict judgement answer', 'claim statement assertion', 'review audit check', 'evidence proof', 'password credential secret token key', 'browser', 'terminal shell console',
    'template placeholder pattern', 'frame', 'board card', 'button', 'log trace history record', 'endpoint route url', 'event trigger', 'state status', 'parser compiler', 'linter formatter', 'worker thread process', 'container image', 'tree graph',
    'link reference pointer symlink', 'backup snapshot', 'migration', 'deployment', 'game', 'schema', 'token', 'stack', 'changelog', 'contract', 'manifest', 'lockfile', 'dashboard', 'invoice', 'shader material mesh scene',
    'Datei Dokument Seite', 'Ordner Verzeichnis', 'Fehler Problem', 'Nutzer Benutzer Mensch Betreiber', '\u00c4nderung Anpassung Korrektur Version', 'Aufgabe Schritt', 'Test Pr\u00fcfung', 'Entscheidung', 'Regel Vorgabe', 'Frage', 'Antwort', 'Projekt',
    'Funktion', 'Struktur', 'Kommentar', 'Plan', 'Sprache', 'Datenbank', 'Anforderung')]
NOUNS_X = {           # languages without spaces or with particles: terms far apart in meaning
    'zh': '\u6570\u636e\u5e93 \u65e5\u5fd7 \u7f13\u5b58 \u6587\u6863 \u5206\u652f \u63a5\u53e3 \u7528\u6237 \u5bc6\u94a5 \u7aef\u53e3 \u9875\u9762 \u811a\u672c \u56fe\u7247 \u53d8\u91cf \u6a21\u578b \u76f8\u673a \u6750\u8d28 \u573a\u666f \u6d4b\u8bd5 \u63d2\u4ef6 \u8868\u540d \u5b57\u6bb5 \u8d26\u6237 \u4ee3\u7406 \u989c\u8272 \u7b54\u6848'.split(),
    'ja': '\u30c7\u30fc\u30bf\u30d9\u30fc\u30b9 \u30ed\u30b0 \u30ad\u30e3\u30c3\u30b7\u30e5 \u30c6\u30b9\u30c8 \u30d6\u30e9\u30f3\u30c1 \u30e6\u30fc\u30b6\u30fc \u30dd\u30fc\u30c8 \u30b9\u30af\u30ea\u30d7\u30c8 \u753b\u50cf \u95a2\u6570 \u5909\u6570 \u30d0\u30fc\u30b8\u30e7\u30f3 \u30b3\u30df\u30c3\u30c8 \u30e2\u30c7\u30eb \u30d5\u30a1\u30a4\u30eb \u30a8\u30e9\u30fc \u30d7\u30e9\u30b0\u30a4\u30f3 \u30ec\u30d3\u30e5\u30fc \u30c6\u30fc\u30d6\u30eb \u30ea\u30f3\u30af \u30bf\u30b0 \u8a08\u753b \u8cea\u554f'.split(),
    'ko': '\ub370\uc774\ud130\ubca0\uc774\uc2a4 \ub85c\uadf8 \uce90\uc2dc \ud14c\uc2a4\ud2b8 \ube0c\ub79c\uce58 \uc0ac\uc6a9\uc790 \ud3ec\ud2b8 \uc2a4\ud06c\ub9bd\ud2b8 \uc774\ubbf8\uc9c0 \ud568\uc218 \ubcc0\uc218 \ubc84\uc804 \ucee4\ubc0b \ud30c\uc77c \uc624\ub958 \ucee8\ud14c\uc774\ub108 \uc778\ub371\uc2a4 \ud2b8\ub79c\uc7ad\uc158 \ud578\ub4e4\ub7ec \ube44\ubc00\ubc88\ud638 \uba54\uc2dc\uc9c0 \ud654\uba74'.split(),
    'th': '\u0e10\u0e32\u0e19\u0e02\u0e49\u0e2d\u0e21\u0e39\u0e25 \u0e1c\u0e39\u0e49\u0e43\u0e0a\u0e49 \u0e40\u0e2d\u0e01\u0e2a\u0e32\u0e23 \u0e42\u0e04\u0e49\u0e14 \u0e23\u0e2b\u0e31\u0e2a\u0e1c\u0e48\u0e32\u0e19 \u0e40\u0e21\u0e19\u0e39 \u0e2b\u0e19\u0e49\u0e32\u0e08\u0e2d \u0e1b\u0e38\u0e48\u0e21 \u0e15\u0e32\u0e23\u0e32\u0e07 \u0e23\u0e39\u0e1b\u0e20\u0e32\u0e1e \u0e40\u0e0b\u0e34\u0e23\u0e4c\u0e1f\u0e40\u0e27\u0e2d\u0e23\u0e4c \u0e1c\u0e39\u0e49\u0e1b\u0e48\u0e27\u0e22 \u0e41\u0e1e\u0e17\u0e22\u0e4c \u0e43\u0e1a\u0e40\u0e2a\u0e23\u0e47\u0e08 \u0e19\u0e31\u0e14\u0e2b\u0e21\u0e32\u0e22 \u0e07\u0e1a\u0e1b\u0e23\u0e30\u0e21\u0e32\u0e13'.split(),
}


def table_of(rows_):
    t = {}
    for k, r in enumerate(rows_):
        for x in r:
            t.setdefault(x.lower(), set()).add(k)
    return t


ALIAS_T, VERB_T, NOUN_T = table_of(ALIAS), table_of(VERBS), table_of(NOUNS)
NOT_NEW = set('see prefer consider treat follow assume wrap expect compare guess hold'.split())     # verbs that are replaced and do not replace


def single(w, t):
    """The entry of a noun in a word table, and whether it stands in the plural."""
    if w in t:
        return w, False
    for a, b in (('ies', 'y'), ('es', ''), ('s', '')):
        if w.endswith(a) and w[:-len(a)] + b in t:
            return w[:-len(a)] + b, True
    return None, False


def alike(a, b, t):
    """Could b stand for a? Same row, other case, other ending, other spelling, short form, or a pair of the synonym list."""
    x, y = re.sub(r'[\W_]', '', a.lower()), re.sub(r'[\W_]', '', b.lower())
    if x == y or (len(min(x, y, key=len)) > 2 and (x in y or y in x)) or t.get(a.lower(), set()) & t.get(b.lower(), set()):
        return True
    k = len(os.path.commonprefix([x, y]))
    if k >= 4 and k >= .6 * min(len(x), len(y)):
        return True
    for p, q in ((a, b), (b, a)):
        if ' ' in p and ''.join(w[0] for w in p.split()).lower() == q.lower() or set(p.lower().split()) & set(q.lower().split()):
            return True
        if any(rx.fullmatch(p.lower()) and r.lower() == q.lower() for rx, r in SYN):
            return True
    return False


LEAD = re.compile(r'\s*(?:[-*+]\s+|\d+[.)]\s+)?(?:\[[ xX]\]\s+)?(?:\*\*|__)[^*\n]+?(?:\*\*|__)\s*(?:\([^()]*\)\s*)?:?')
SAMPLES = re.compile(r'(?i)\b(?:e\.\s?g\.|i\.\s?e\.|for example|for instance|such as|z\.\s?B\.|zum Beispiel|por ejemplo)[^.;)]*|(?:\u4f8b\u5982|\u4f8b\u3048\u3070|\u6bd4\u5982|\u0e40\u0e0a\u0e48\u0e19|\uc608\ub97c \ub4e4\uc5b4)[^.;)\u3002]*')
PATHLIKE = re.compile(r'\S*[/\\@#_=]\S*|\b[\w-]+\.[A-Za-z]\w*')


def plain(doc, i):
    """A prose line, same length, with everything blanked that is not running text: code, links, quotations, examples, file names, bold labels."""
    s = mask(doc.lines[i])
    for rx in (RX['quote'], SAMPLES, PATHLIKE):
        s = rx.sub(lambda m: '\0' * len(m.group(0)), s)
    m = LEAD.match(s)
    if m:
        s = '\0' * m.end() + s[m.end():]
    elif RE_ITEM.match(s):
        k = RE_ITEM.match(s).start(4)
        s = '\0' * k + s[k:]
    return s


def texts(doc, table=False):
    """[(line, blanked text)] of sentences, list items and (if asked) table rows; labels, table heads and repeated lines are left out."""
    if not hasattr(doc, 'plain'):
        doc.plain = {}
        many = Counter(norm(s) for s in doc.lines)
        for i in doc.prose():
            k, s = doc.kind[i], doc.lines[i]
            if k == 'quote' or (k == 'table' and i + 1 < len(doc.kind) and doc.kind[i + 1] == 'tsep') or many[norm(s)] > 1:
                continue
            if re.search(r'(?i)\bwhether\b|\bif or\b|\bob\b|\u304b\u3069\u3046\u304b|\u662f\u5426|\u0e2b\u0e23\u0e37\u0e2d\u0e44\u0e21\u0e48|\ub294\uc9c0|[?\uff1f]', re.sub(r'https?://\S+', '', s)):
                continue                    # "whether it is open" and "is it open?" say the same of "closed"
            if s.rstrip('* ').endswith(':') and not re.search(r'(?<![\w-])[a-z\u00e4\u00f6\u00fc]{4}|[^\x00-\u024f]', mask(s)):
                continue                    # a title-case label
            w = plain(doc, i)
            if weight(w.replace('\0', ' ')) >= 3:
                doc.plain[i] = w
    return [(i, w) for i, w in doc.plain.items() if table or doc.kind[i] != 'table']


RULE = re.compile(r"(?i)\b(?:must|should|shall|never|always|do not|don't|only|required?|cannot|may not|forbidden|muss|m\u00fcssen|darf|nie|niemals|immer|nur|nicht)\b|\u5fc5\u987b|\u7981\u6b62|\u4e0d\u8981|\u4e0d\u5f97|"
                  r'\u5fc5\u305a|\u3057\u306a\u3044|\u3066\u304f\u3060\u3055\u3044|\u3059\u308b\u3053\u3068|\u0e15\u0e49\u0e2d\u0e07|\u0e2b\u0e49\u0e32\u0e21|\ubc18\ub4dc\uc2dc|\uae08\uc9c0|\ub9c8\uc138\uc694|\ud574\uc57c')


def starts(doc, i, w):
    """Where sentences of a line begin (not at the start of a line that goes on from the one before)."""
    k = doc.kind[i]
    r = [m.end() for m in re.finditer(r'(?<=[a-z)\0][a-z)\0])[.!?:]\s+(?=[A-Z])', w)]
    if not (k == 'cont' or (k == 'para' and i and doc.kind[i - 1] == 'para')):
        r.append(len(w) - len(w.lstrip('\0 :*\u2014\u2013-')))
    return r


def verb_spots(doc):
    """[(line, start, end, verb, stands first, language)] of the verbs of instructions."""
    if hasattr(doc, 'verbs'):
        return doc.verbs
    r = doc.verbs = []
    for i, w in texts(doc):
        lg = lang_of(doc.lines[i])
        if lg in ('zh', 'ja'):
            m = re.compile(r'[^\W\d_]{2}(?![\u7684\u540e\u65f6\u524d\u8005\u65b9])').match(w, starts(doc, i, w)[-1]) if starts(doc, i, w) else None
            if m and m.group(0) in VERB_T:
                r.append((i, m.start(), m.end(), m.group(0), True, 'zh'))
            continue
        for p in starts(doc, i, w):
            m = re.compile(r'([A-Z\u00c4\u00d6\u00dc][a-z\u00e4\u00f6\u00fc\u00df]+) (?=(\0|[\w\']+))').match(w, p)
            if not m:
                continue
            v, n = m.group(1).lower(), m.group(2)
            if v in VERB_T and n not in PARTICLE and (lg == 'de') == (not v.isascii() or v in 'verwende nutze teste validiere kontrolliere lies frage schreibe erstelle dokumentiere entferne vermeide aktualisiere starte'.split()):
                if lg == 'de' or n == '\0' or n in AFTER or (v in CLEAR and n.islower()):
                    r.append((i, m.start(1), m.end(1), v, True, lg))
        if lg == 'en':
            for m in re.finditer(r"(?i)\b(?:must|should|shall|never|always|do not|don't|must not|should not|cannot|may not) ([a-z]+) (?=(\0|[\w']+))", w):
                if m.group(1).lower() in VERB_T and m.group(2) not in PARTICLE and m.group(1).islower():
                    r.append((i, m.start(1), m.end(1), m.group(1), False, 'en'))
    return r


def as_case(old, new):
    return new.upper() if old.isupper() and len(old) > 1 else new[0].upper() + new[1:] if old[0].isupper() and not old.isupper() else new


def vowel(w):
    return w[0] in 'AEFHILMNORSX' if w.isupper() else w[0].lower() in 'aeio' or (w[0].lower() == 'u' and not re.match(r'(?i)u[ns][ei]', w))


def replaced(doc, i, s, e, new, **kw):
    """The case in which line[s:e] is replaced, "a" and "an" repaired; none when the new line, or its text, stands in the file already."""
    line = doc.lines[i]
    pre = line[:s]
    m = re.search(r'\b([Aa])n? $', pre)
    if m:
        pre = pre[:m.start()] + m.group(1) + ('n ' if vowel(new) else ' ')
    nl = pre + new + line[e:]
    if norm(body(nl)) in {norm(body(x)) for x in doc.lines} or norm(nl) == norm(line):
        return None
    return out(doc.text, doc.with_line(i, nl), changed=[(line[s:e], new)], where=doc.where(i), line=i + 1, **kw)


def one_of(rng, c, key):
    """A random candidate of a random group, so that a frequent word does not drown the rest."""
    k = rng.choice(sorted({key(x) for x in c}))
    return rng.choice([x for x in c if key(x) == k])


def has(line, w):
    return bool(re.search(r'(?i)(?<![^\W\d_])' + re.escape(w), line)) if w.isascii() else w.lower() in line.lower()


@case('change.verb', 'harmful', 'the verb of an instruction is replaced by a verb of another meaning that opens another instruction of the file')
def _(doc, rng):
    c = []
    for i, s, e, v, first, lg in verb_spots(doc):
        pool = sorted({x[3] for x in verb_spots(doc) if x[4] and x[0] != i and x[5] == lg and x[3] not in NOT_NEW and not alike(v, x[3], VERB_T) and not has(doc.lines[i], x[3])})
        if pool and len(re.findall(re.escape(v), doc.lines[i], re.I)) == 1:
            c.append((i, s, e, v, pool, lg))
    if not c:
        return None
    i, s, e, v, pool, lg = one_of(rng, c, lambda x: x[3])
    return replaced(doc, i, s, e, as_case(doc.lines[i][s:e], rng.choice(pool)), lang=lg)


FOLLOW = r'(?! of (?:thumb|contents|view|truth|record|origin)\b)(?= (?:of|in|on|at|to|for|from|with|by|into|is|are|was|must|should|can|may|will|has|have|needs?|that|which|when|before|after|until|if|and|or|as|without)\b|[,.;:)]|$)'
NOUN_EN = re.compile(r'\b(?:[Tt]he|[Aa]n?|[Ee]ach|[Ee]very|[Aa]ny|[Tt]his|[Yy]our|[Aa]ll|[Nn]o|[Ii]ts)( [a-z]{3,12})? ([a-z]{3,})' + FOLLOW)
NOUN_DE = re.compile(r'\b([Dd](?:er|ie|as|en|em)|[Ee]ine?[mnrs]?|[Jj]ede[mnrs]?|[Kk]eine?[mnrs]?) ([A-Z\u00c4\u00d6\u00dc][a-z\u00e4\u00f6\u00fc\u00df]+)(?![\w-])')
NOUN_X = {k: re.compile((r'(?<![\u30a1-\u30fc])(?:%s)(?![\u30a1-\u30fc])' if k == 'ja' else '(?:%s)') % '|'.join(sorted(v, key=lambda x: (-len(x), x)))) for k, v in NOUNS_X.items()}


def coda(w):
    """Korean: does the last syllable end in a consonant? The particles depend on it."""
    return (ord(w[-1]) - 0xac00) % 28 != 0 if '\uac00' <= w[-1] <= '\ud7a3' else None


def noun_spots(doc):
    """[(line, start, end, noun, form that a replacement must share, language, in a rule)]"""
    if hasattr(doc, 'nouns'):
        return doc.nouns
    r, imper = [], None
    doc.nouns = r
    imper = {x[0] for x in verb_spots(doc)}
    for i, w in texts(doc):
        lg = lang_of(doc.lines[i])
        rule = i in imper or bool(RULE.search(doc.lines[i]))
        if lg in NOUN_X:
            for m in NOUN_X[lg].finditer(w):
                r.append((i, m.start(), m.end(), m.group(0), coda(m.group(0)) if lg == 'ko' else None, lg, rule))
        elif lg == 'de':
            for m in NOUN_DE.finditer(w):
                if m.group(2).lower() in NOUN_T:
                    r.append((i, m.start(2), m.end(2), m.group(2), m.group(1).lower(), lg, rule))
        else:
            for m in NOUN_EN.finditer(w):
                x, pl = single(m.group(2), NOUN_T)
                mid = (m.group(1) or '').strip()
                if pl and (single(mid, NOUN_T)[0] or re.match(r'(?i)(?:an?|each|every|this) ', m.group(0))):
                    continue                # "the process crashes": a verb
                if x and not re.search(r'(?i)\bin the $', w[:m.start(2)]):
                    r.append((i, m.start(2), m.end(2), x, pl, 'en', rule))
    return r


@case('change.noun', 'harmful', 'a noun of a rule is replaced by a noun of another meaning that has the same role elsewhere in the file')
def _(doc, rng):
    c = []
    for i, s, e, n, form, lg, rule in noun_spots(doc):
        if not rule:
            continue
        pool = sorted({doc.lines[x[0]][x[1]:x[2]] for x in noun_spots(doc) if x[0] != i and x[4] == form and x[5] == lg and not alike(n, x[3], NOUN_T) and not has(doc.lines[i], x[3])})
        if pool and len(re.findall(re.escape(n), doc.lines[i], re.I)) == 1:
            c.append((i, s, e, n, pool, lg))
    if not c:
        return None
    i, s, e, n, pool, lg = one_of(rng, c, lambda x: x[3])
    return replaced(doc, i, s, e, rng.choice(pool), lang=lg)


def term_rx(kind, v):
    alt = '|'.join(re.escape(x) for x in sorted(v, key=lambda x: (-len(x), x)))
    if not v[0].isascii() and kind[-3:] in ('-ja', '-zh', '-ko', '-th'):
        return re.compile('(%s)' % alt)
    if kind == 'role':
        return re.compile(r'\b(?:[Tt]he|[Aa]n?|[Ee]ach|[Ee]very|[Aa]ny) (%s)(?![\w-])' % alt + FOLLOW)
    if kind == 'environment':
        return re.compile(r'(?:\b(?:in|to|on|against|the|for|from) )(%s)(?= (?:database|server|environment|build|cluster|branch|deployment|data|traffic|site|url|code|host|system)s?\b|[,.;:)]|$)' % alt)
    alt = re.sub(r'\bGo\b', r'Go(?! (?:to|through|ahead|back|with|for|on|over)\\b)', alt)
    # no part of a longer name on either side
    return re.compile(r'(?<![\w.\'-])(%s)(?![\w-]|\.\w| [A-Z]| \d)' % alt)


def in_name(w, s):
    """Does a capitalised word stand right before, so that the term may be the tail of a longer name?"""
    m = re.search(r"([A-Z][\w']*)[ -]$", w[:s])
    return bool(m) and m.group(1).lower() not in VERB_T and m.group(1).lower() not in STOP and m.group(1).lower() not in NOT_NAME


def own_terms(doc):
    """{(line, start, end): (term, shape)}: names that the file itself uses inside sentences."""
    low = {w for i, s in enumerate(doc.lines) for w in re.findall(r'(?<![\w.-])[a-z]+(?![\w-])', s)}
    de = sum(lang_of(doc.lines[i]) == 'de' for i in doc.prose()) > 2       # there every noun has a capital
    r = {}
    for i, w in texts(doc):
        lg = lang_of(doc.lines[i])
        rx = r'(?<=[a-z,;)] )' if lg == 'en' else r'(?<![A-Za-z.-])(?<![A-Za-z] )'
        for m in re.finditer(rx + r"([A-Z][a-z]{2,}\w*(?: [A-Z][a-z]{2,}\w*){0,2})(?![\w-]|\.\w| [A-Z0-9])", w):
            ws = m.group(1).split()
            if in_name(w, m.start(1)):
                continue
            if any(x.lower() in low or x.lower() in NOT_NAME or single(x.lower(), NOUN_T)[0] or x.lower() in VERB_T or x.lower() in STOP or re.search(r'(?:ing|ed|ly|tion|ment|ness|able|ive|ity)$', x) for x in ws):
                continue
            shape = 'run' if len(ws) > 1 else 'camel' if re.search(r'[a-z\d][A-Z]', ws[0]) else 'word'
            if shape == 'camel' or (lg == 'en' and not de):
                r[i, m.start(1), m.end(1)] = (m.group(1), shape)
    return r


@case('change.name', 'harmful', 'a name or term is replaced by another of the file, or of its kind where the file has none (database, language, cloud, environment, weekday, month, role, system, browser, ...)')
def _(doc, rng):
    spots = {}
    kinds = {}
    imper = {x[0] for x in verb_spots(doc)}
    for k, v in TERMS.items():
        rx = term_rx(k, v)
        for i, w in texts(doc, True):
            for m in rx.finditer(w):
                if not in_name(w, m.start(1)):
                    spots.setdefault((i, m.start(1), m.end(1)), (m.group(1), k))
        kinds[k] = {x[0] for x in spots.values() if x[1] == k}
    for p, t in own_terms(doc).items():
        if not any(q[0] == p[0] and q[1] < p[2] and p[1] < q[2] for q in spots):
            spots[p] = t
            kinds.setdefault(t[1], set()).add(t[0])
    c = []
    for (i, s, e), (t, k) in sorted(spots.items()):
        if doc.kind[i] == 'para' and not (i in imper or RULE.search(doc.lines[i])) or len(re.findall(re.escape(t), doc.lines[i])) > 1:
            continue
        fit = lambda x: not alike(t, x, ALIAS_T) and not has(doc.lines[i], x)
        pool = sorted(x for x in kinds[k] if fit(x))
        own = bool(pool)
        if not pool and k in TERMS:
            pool = [x for x in TERMS[k] if fit(x)]
        if pool:
            c.append((i, s, e, t, k, pool, own))
    if not c:
        return None
    i, s, e, t, k, pool, own = one_of(rng, c, lambda x: x[4])
    return replaced(doc, i, s, e, rng.choice(pool), kind=k, same_file=own)


# ---------------------------------------------------------------- harmful: one side of an antonym pair
DET = r'(?= (?:the|a|an|all|any|every|each|your|this|that|these|it|them|both|only|no|new|one)\b| \0)'
NOUNISH = r'(?= (?:access|permissions?|operations?|locks?|paths?|mode|requests?|calls?)\b)'
SIDE = r'(?= (?:side|pane|panel|column|sidebar|edge|margin|hand|corner|border|arrow|half|button|click|align\w*|join|mouse|to)\b|-(?:click|hand|align|side))'
ASYNCISH = r'(?= (?:functions?|calls?|code|versions?|mode|api|clients?|methods?|contexts?|tests?|handlers?|engine|sessions?|path|work|operations?|iterators?)\b)'
OPENISH = r'(?= (?:issues?|questions?|PRs?|pull requests?|tickets?|tasks?|items?|connections?|positions?|branches|bugs?)\b)'


def pairs(lang, text, tail=''):
    """Both directions of "a/b c/d"."""
    r = []
    for p in text.split():
        a, b = (x.replace('_', ' ') for x in p.split('/'))
        r += [(lang, re.escape(a) + tail, b), (lang, re.escape(b) + tail, a)]
    return r


ANTONYM = (     # (language, pattern, replacement); English, German and Spanish ones are whole words
    pairs('en', 'enable/disable enables/disables enabled/disabled enabling/disabling public/private publicly/privately deny/allow denies/allows denied/allowed denylist/allowlist '
                'increase/decrease increases/decreases increased/decreased internal/external internally/externally staging/production ascending/descending inside/outside mutable/immutable '
                'upload/download uploads/downloads uploaded/downloaded uploading/downloading synchronous/asynchronous synchronously/asynchronously lowercase/uppercase valid/invalid '
                'explicit/implicit explicitly/implicitly manually/automatically manual/automatic incoming/outgoing frontend/backend local/remote locally/remotely online/offline input/output inputs/outputs '
                'parent/child static/dynamic horizontal/vertical horizontally/vertically positive/negative temporary/permanent primary/secondary encrypted/decrypted installed/uninstalled success/failure succeeds/fails '
                'absolute/relative client/server clients/servers client-side/server-side read-only/write-only visible/hidden')
    + pairs('en', 'add/remove adds/removes adding/removing enable/disable read/write reads/writes writing/reading start/stop starts/stops starting/stopping open/close opens/closes include/exclude includes/excludes '
                  'show/hide shows/hides lock/unlock encrypt/decrypt install/uninstall', DET)
    + pairs('en', 'added/removed opened/closed included/excluded')
    + pairs('en', 'left/right', SIDE) + pairs('en', 'sync/async', ASYNCISH) + pairs('en', 'open/closed', OPENISH) + pairs('en', 'read/write', NOUNISH) + pairs('en', 'high/low', r'(?= (?:priority|risk|effort|impact|severity)\b)')
    + pairs('en', 'first/last', r'(?= (?:line|row|item|entry|message|step|column|character|commit|match|element|argument|version|release|page|section|paragraph|run|call|turn|frame|word|test|phase|session|prompt|response)s?\b)')
    + [('en', r'stop(?= \w+ing\b)', 'start'), ('en', r'(?<=the )start(?= of\b)', 'end'), ('en', r'(?<=the )end(?= of the\b)', 'start'), ('en', r'(?<=the )top(?= of\b)', 'bottom'), ('en', r'(?<=the )bottom(?= of\b)', 'top'),
       ('en', r'(?<=the )old(?= [a-z])', 'new'), ('en', r'(?<=the )new(?= [a-z])', 'old'), ('en', r'(?<=tests )pass\b', 'fail'), ('en', r'(?<=tests )fail\b', 'pass'), ('en', r'(?<=checks )pass\b', 'fail'),
       ('en', r'(?<=top )left\b', 'right'), ('en', r'(?<=top )right\b', 'left')]
    + pairs('de', 'aktivieren/deaktivieren aktiviert/deaktiviert links/rechts offen/geschlossen erste/letzte ersten/letzten \u00f6ffentlich/privat \u00f6ffentliche/private \u00f6ffentlichen/privaten erlaubt/verboten '
                  'hinzuf\u00fcgen/entfernen erh\u00f6hen/verringern starten/stoppen intern/extern interne/externe internen/externen lesen/schreiben hochladen/herunterladen aufsteigend/absteigend innerhalb/au\u00dferhalb '
                  '\u00f6ffnen/schlie\u00dfen neue/alte neuen/alten synchron/asynchron g\u00fcltig/ung\u00fcltig manuell/automatisch lokal/remote Eingabe/Ausgabe')
    + pairs('es', 'habilitar/deshabilitar activar/desactivar izquierda/derecha abierto/cerrado abierta/cerrada primero/\u00faltimo primera/\u00faltima p\u00fablico/privado p\u00fablica/privada permitir/denegar agregar/quitar a\u00f1adir/eliminar '
                  'aumentar/disminuir s\u00edncrono/as\u00edncrono iniciar/detener interno/externo interna/externa cliente/servidor leer/escribir subir/descargar ascendente/descendente dentro/fuera entrada/salida v\u00e1lido/inv\u00e1lido')
    + pairs('zh', '\u542f\u7528/\u7981\u7528 \u5de6\u4fa7/\u53f3\u4fa7 \u5de6\u8fb9/\u53f3\u8fb9 \u6253\u5f00/\u5173\u95ed \u516c\u5f00/\u79c1\u6709 \u6dfb\u52a0/\u5220\u9664 \u589e\u52a0/\u51cf\u5c11 \u542f\u52a8/\u505c\u6b62 \u5185\u90e8/\u5916\u90e8 \u5ba2\u6237\u7aef/\u670d\u52a1\u7aef \u8bfb\u53d6/\u5199\u5165 \u4e0a\u4f20/\u4e0b\u8f7d \u5347\u5e8f/\u964d\u5e8f \u8f93\u5165/\u8f93\u51fa \u524d\u7aef/\u540e\u7aef \u6210\u529f/\u5931\u8d25 \u624b\u52a8/\u81ea\u52a8 \u672c\u5730/\u8fdc\u7a0b \u5bfc\u5165/\u5bfc\u51fa \u663e\u793a/\u9690\u85cf '
                  '\u7b2c\u4e00\u4e2a/\u6700\u540e\u4e00\u4e2a \u5411\u5de6/\u5411\u53f3 \u9876\u90e8/\u5e95\u90e8')
    + [('zh', '(?<!\u4e0d)\u53ef\u53d8', '\u4e0d\u53ef\u53d8'), ('zh', '\u4e0d\u53ef\u53d8', '\u53ef\u53d8'), ('zh', '(?<!\u5f02)\u540c\u6b65', '\u5f02\u6b65'), ('zh', '\u5f02\u6b65', '\u540c\u6b65'), ('zh', '\u5141\u8bb8', '\u62d2\u7edd'), ('zh', '(?<!\u66f4)\u65b0(?=[\u6587\u7248\u5efa])', '\u65e7')]
    + pairs('ja', '\u6709\u52b9/\u7121\u52b9 \u5de6\u5074/\u53f3\u5074 \u5de6\u306b/\u53f3\u306b \u958b\u304f/\u9589\u3058\u308b \u6700\u521d/\u6700\u5f8c \u8a31\u53ef/\u62d2\u5426 \u8ffd\u52a0/\u524a\u9664 \u5897\u52a0/\u6e1b\u5c11 \u958b\u59cb/\u7d42\u4e86 \u5185\u90e8/\u5916\u90e8 \u30af\u30e9\u30a4\u30a2\u30f3\u30c8/\u30b5\u30fc\u30d0\u30fc \u8aad\u307f\u53d6\u308a/\u66f8\u304d\u8fbc\u307f \u30a2\u30c3\u30d7\u30ed\u30fc\u30c9/\u30c0\u30a6\u30f3\u30ed\u30fc\u30c9 \u6607\u9806/\u964d\u9806 \u6210\u529f/\u5931\u6557 \u5165\u529b/\u51fa\u529b '
                  '\u624b\u52d5/\u81ea\u52d5 \u53ef\u5909/\u4e0d\u5909 \u30d5\u30ed\u30f3\u30c8\u30a8\u30f3\u30c9/\u30d0\u30c3\u30af\u30a8\u30f3\u30c9 \u30ed\u30fc\u30ab\u30eb/\u30ea\u30e2\u30fc\u30c8 \u8d77\u52d5/\u505c\u6b62 \u8868\u793a/\u975e\u8868\u793a')
    + [('ja', '(?<!\u975e)\u516c\u958b', '\u975e\u516c\u958b'), ('ja', '\u975e\u516c\u958b', '\u516c\u958b'), ('ja', '(?<!\u975e)\u540c\u671f', '\u975e\u540c\u671f'), ('ja', '\u975e\u540c\u671f', '\u540c\u671f')]
    + pairs('ko', '\uc67c\ucabd/\uc624\ub978\ucabd \ud5c8\uc6a9/\uac70\ubd80 \ucd94\uac00/\uc0ad\uc81c \uc99d\uac00/\uac10\uc18c \uc2dc\uc791/\uc911\uc9c0 \ub0b4\ubd80/\uc678\ubd80 \ud074\ub77c\uc774\uc5b8\ud2b8/\uc11c\ubc84 \uc77d\uae30/\uc4f0\uae30 \uc5c5\ub85c\ub4dc/\ub2e4\uc6b4\ub85c\ub4dc \uc624\ub984\ucc28\uc21c/\ub0b4\ub9bc\ucc28\uc21c \uc131\uacf5/\uc2e4\ud328 \uc785\ub825/\ucd9c\ub825 \uc218\ub3d9/\uc790\ub3d9 \uc5f4\uae30/\ub2eb\uae30 \ub85c\uceec/\uc6d0\uaca9')
    + [('ko', '(?<!\ube44)\ud65c\uc131\ud654', '\ube44\ud65c\uc131\ud654'), ('ko', '\ube44\ud65c\uc131\ud654', '\ud65c\uc131\ud654'), ('ko', '(?<!\ube44)\uacf5\uac1c', '\ube44\uacf5\uac1c'), ('ko', '\ube44\uacf5\uac1c', '\uacf5\uac1c'), ('ko', '(?<!\ube44)\ub3d9\uae30(?=[ \uc801\uc2dd\ud654\ub85c])', '\ube44\ub3d9\uae30'), ('ko', '\ube44\ub3d9\uae30', '\ub3d9\uae30')]
    + pairs('th', '\u0e0b\u0e49\u0e32\u0e22/\u0e02\u0e27\u0e32 \u0e2a\u0e38\u0e14\u0e17\u0e49\u0e32\u0e22/\u0e41\u0e23\u0e01 \u0e2a\u0e32\u0e18\u0e32\u0e23\u0e13\u0e30/\u0e2a\u0e48\u0e27\u0e19\u0e15\u0e31\u0e27 \u0e2d\u0e19\u0e38\u0e0d\u0e32\u0e15/\u0e1b\u0e0f\u0e34\u0e40\u0e2a\u0e18 \u0e40\u0e23\u0e34\u0e48\u0e21/\u0e2b\u0e22\u0e38\u0e14 \u0e20\u0e32\u0e22\u0e43\u0e19/\u0e20\u0e32\u0e22\u0e19\u0e2d\u0e01 \u0e2d\u0e31\u0e1b\u0e42\u0e2b\u0e25\u0e14/\u0e14\u0e32\u0e27\u0e19\u0e4c\u0e42\u0e2b\u0e25\u0e14 \u0e2a\u0e33\u0e40\u0e23\u0e47\u0e08/\u0e25\u0e49\u0e21\u0e40\u0e2b\u0e25\u0e27')
    + [('th', '\u0e40\u0e1e\u0e34\u0e48\u0e21(?!\u0e40\u0e15\u0e34\u0e21)', '\u0e25\u0e1a'), ('th', '(?<![\u0e01-\u0e2e])\u0e25\u0e1a(?![\u0e01-\u0e2e])', '\u0e40\u0e1e\u0e34\u0e48\u0e21'), ('th', '(?<!\u0e41\u0e1a\u0e1a)\u0e40\u0e1b\u0e34\u0e14(?!\u0e40\u0e1c\u0e22)', '\u0e1b\u0e34\u0e14'), ('th', '(?<![\u0e01-\u0e4e])\u0e1b\u0e34\u0e14', '\u0e40\u0e1b\u0e34\u0e14'), ('th', '\u0e2d\u0e48\u0e32\u0e19', '\u0e40\u0e02\u0e35\u0e22\u0e19'), ('th', '\u0e40\u0e02\u0e35\u0e22\u0e19', '\u0e2d\u0e48\u0e32\u0e19'),
       ('th', '\u0e43\u0e2b\u0e21\u0e48(?=[ .,)]|$)', '\u0e40\u0e01\u0e48\u0e32')])


def compile_antonyms(t):
    return [(l, re.compile(p if l in ('zh', 'ja', 'ko', 'th') else r'(?<![\w.-])(?:%s)(?![\w]|-(?!side|only|click|aligned|hand)|\.\w)' % p, re.I if l == 'en' else 0), r) for l, p, r in t]


ANTONYM = compile_antonyms(ANTONYM)
IDIOM = re.compile(r'(?i)\b(?:open[- ]source|at first|at last|first of all|last resort|start with|private key|local (?:variable|time|maxim|minim)|positive(?:ly)? (?:number|integer)|public domain|child process|input and output|sync(?:ed)? with)')


def tongue(s):
    """As lang_of, with Spanish."""
    return 'es' if lang_of(s) == 'en' and len(re.findall(r'(?i)\b(?:el|la|los|las|para|que|con|del|una|por|debe|nunca|siempre)\b', s)) >= 2 else lang_of(s)


@case('change.antonym', 'harmful', 'one side of a closed antonym pair is replaced by the other (enable/disable, left/right, add/remove, client/server, read/write, ...; six languages besides English)')
def _(doc, rng):
    c = []
    for i, w in texts(doc, True):
        if IDIOM.search(w) or re.search(r'(?<=\w)/(?=\w)', w):
            continue
        lg = tongue(doc.lines[i])
        for k, (l, rx, rep) in enumerate(ANTONYM):
            if l != lg:
                continue
            for m in rx.finditer(w):
                if not has(doc.lines[i].replace(m.group(0), ' ', 1) if not rep.isascii() or m.group(0) in rep else doc.lines[i], rep) and len(re.findall(re.escape(m.group(0)), doc.lines[i], re.I)) == 1:
                    c.append((i, m.start(), m.end(), rep, lg))
    if not c:
        return None
    lg = rng.choice(sorted({x[4] for x in c}))
    i, s, e, rep, lg = one_of(rng, [x for x in c if x[4] == lg], lambda x: x[3])
    return replaced(doc, i, s, e, as_case(doc.lines[i][s:e], rep), lang=lg)


# ---------------------------------------------------------------- harmful: relocation
def movable(doc):
    return [i for i, k in enumerate(doc.kind) if ((k == 'item' and doc.leaf(i) and not RE_ITEM.match(doc.lines[i]).group(1)) or
            (k == 'para' and doc.kind[i - 1] == 'blank' and i + 1 < len(doc.lines) and doc.kind[i + 1] == 'blank'))
            and weight(doc.lines[i]) >= 3 and sum(norm(x) == norm(doc.lines[i]) for x in doc.lines) == 1]


def body(s):
    m = RE_ITEM.match(s)
    return m.group(4) if m else s.strip()


@case('reloc.into-fence', 'harmful', 'a prose line becomes the content of a fenced block (moved into one, or wrapped in one)')
def _(doc, rng):
    c = movable(doc)
    if not c:
        return None
    i = rng.choice(c)
    f = [x for x in doc.fences if not doc.lines[x[0]].startswith(' ') and x[1] > x[0]]
    if f and rng.random() < .5:
        a = rng.choice(f)[0]
        L = list(doc.lines)
        s = L.pop(i)
        p = (a if i > a else a - 1) + 1
        L.insert(p, s)
        return out(doc.text, '\n'.join(L), moved=[body(s)], how='moved', where=doc.where(i), line=i + 1)
    blk = ['```', doc.lines[i], '```']
    if doc.kind[i - 1] not in ('blank',):
        blk = [''] + blk
    return out(doc.text, '\n'.join(doc.lines[:i] + blk + doc.lines[i + 1:]), moved=[body(doc.lines[i])], how='wrapped', where=doc.where(i), line=i + 1)


@case('reloc.into-comment', 'harmful', 'a prose line is turned into an HTML comment')
def _(doc, rng):
    c = [i for i in movable(doc) if '--' not in doc.lines[i]]
    if not c:
        return None
    i = rng.choice(c)
    return out(doc.text, doc.with_line(i, '<!-- ' + doc.lines[i].strip() + ' -->'), moved=[body(doc.lines[i])], where=doc.where(i), line=i + 1)


@case('reloc.into-quote', 'harmful', 'a rule becomes quoted text (block quote)')
def _(doc, rng):
    c = movable(doc)
    if not c:
        return None
    i = rng.choice(c)
    return out(doc.text, doc.with_line(i, '> ' + doc.lines[i]), moved=[body(doc.lines[i])], where=doc.where(i), line=i + 1)


GENERIC = re.compile(r'(?i)\b(notes?|misc|overview|general|other|additional|important|introduction|summary|tips|faq|more|about|guidelines?|best practices|conventions|rules|context)\b')


@case('reloc.section', 'harmful', 'a list item moves to a list under another, specific heading')
def _(doc, rng):
    items = [i for i in movable(doc) if doc.kind[i] == 'item' and doc.sec[i] and not GENERIC.search(doc.head_of(i))
             and not re.match(r'\d', RE_ITEM.match(doc.lines[i]).group(2))]
    if not items:
        return None
    i = rng.choice(items)
    tgt = [j for j in range(len(doc.lines)) if doc.kind[j] == 'item' and doc.sec[j] != doc.sec[i] and doc.sec[j] and not GENERIC.search(doc.head_of(j))
           and RE_ITEM.match(doc.lines[j]).group(2) in '-*+' and not doc.lines[j].startswith((' ', '\t')) and doc.leaf(j) and norm(doc.head_of(j)) != norm(doc.head_of(i))]
    if not tgt:
        return None
    j = rng.choice(tgt)
    L = list(doc.lines)
    s = L.pop(i)
    m = RE_ITEM.match(doc.lines[j])
    L.insert((j if i > j else j - 1) + 1, m.group(2) + m.group(3) + body(s))
    return out(doc.text, '\n'.join(L), moved=[body(s)], where='list', frm=doc.head_of(i), to=doc.head_of(j), line=i + 1)


INFO = {'bash': 'powershell', 'sh': 'python', 'shell': 'json', 'python': 'javascript', 'typescript': 'python', 'ts': 'rust', 'tsx': 'html', 'json': 'yaml', 'yaml': 'toml', 'toml': 'ini',
        'rust': 'go', 'go': 'rust', 'sql': 'python', 'markdown': 'text', 'ruby': 'python', 'js': 'ts', 'javascript': 'typescript', 'jsonl': 'json', 'text': 'bash', 'xml': 'json'}


@case('reloc.fence-info', 'harmful', 'the language of a fenced block changes')
def _(doc, rng):
    c = [(a, f) for a, b, f in doc.fences if f.split(' ')[0].lower() in INFO]
    if not c:
        return None
    a, f = rng.choice(c)
    w = f.split(' ')[0]
    m = RE_FENCE.match(doc.lines[a])
    return out(doc.text, doc.with_line(a, m.group(1) + m.group(2) + f.replace(w, INFO[w.lower()], 1)), changed=[(w, INFO[w.lower()])], where='fence', line=a + 1)


@case('reloc.nesting', 'harmful', 'a list item becomes a child of the item before it, or stops being a child')
def _(doc, rng):
    c = []
    for run in doc.lists():
        for a, b in zip(run, run[1:]):
            ind = RE_ITEM.match(doc.lines[a]).group(1)
            if RE_ITEM.match(doc.lines[b]).group(2) not in '-*+':
                continue                    # a number other than 1 cannot open a nested list
            if doc.leaf(b) and len(ind) < 4 and weight(doc.lines[b]) >= 2:
                c.append((b, 'in', ' ' * RE_ITEM.match(doc.lines[a]).start(4)))
            if ind and len(ind) in (2, 3, 4) and b == run[-1] and weight(doc.lines[b]) >= 2:
                c.append((b, 'out', ''))
    if not c:
        return None
    i, dr, ind = rng.choice(c)
    return out(doc.text, doc.with_line(i, ind + doc.lines[i].lstrip()), moved=[body(doc.lines[i])], how=dr, where='list', line=i + 1)


STEP = re.compile(r'(?i)\b(steps?|workflow|process|procedure|sequence|order|how to|pipeline|lifecycle|flow|checklist|priority|session start|setup|release|rollback|recipe|phases?)\b|\u624b\u9806|\u6b65\u9aa4|\u6d41\u7a0b|\u0e02\u0e31\u0e49\u0e19\u0e15\u0e2d\u0e19|Schritte|Ablauf|Vorgehen|\uc21c\uc11c|\u9806\u5e8f|\u987a\u5e8f')


def intro(doc, i):
    j = i - 1
    while j > 0 and doc.kind[j] == 'blank':
        j -= 1
    return (doc.lines[j] if doc.kind[j] in ('para', 'head', 'cont', 'item') else '') + ' ' + doc.head_of(i)


@case('reloc.step-order', 'harmful', 'two neighbouring steps of an ordered procedure trade places')
def _(doc, rng):
    def find(d):
        r = []
        for run in d.lists():
            if re.match(r'\d', RE_ITEM.match(d.lines[run[0]]).group(2)) and len(run) >= 3 and STEP.search(intro(d, run[0])):
                r += [(a, b) for a, b in zip(run, run[1:]) if d.leaf(a) and d.leaf(b) and norm(body(d.lines[a])) != norm(body(d.lines[b]))]
        return r
    d, c, g = maybe(doc, rng, 'steps', find)
    if not c:
        return None
    a, b = rng.choice(c)
    ma, mb = RE_ITEM.match(d.lines[a]), RE_ITEM.match(d.lines[b])
    return out(d.text, d.with_lines({a: d.lines[a][:ma.start(4)] + mb.group(4), b: d.lines[b][:mb.start(4)] + ma.group(4)}),
               moved=[ma.group(4), mb.group(4)], where='list', augmented=g, line=a + 1)


# ---------------------------------------------------------------- merges
MERGE_DUP = ['- Use conventional commit prefixes on every change.', '- Keep secrets out of the repository and out of logs.', '- Prefer small reviews over large ones.']


def merge_parts(doc, rng):
    ss = doc.sections(2)
    if len(ss) < 4:
        return None
    k = rng.randint(1, len(ss) - 2)
    cutat = ss[k][0]
    a, b = doc.lines[:cutat], doc.lines[cutat:]
    dup_at = rng.choice(range(0, k))
    dup = doc.lines[ss[dup_at][0]:ss[dup_at][1]]
    if any(x.startswith('[') and ']:' in x for x in dup):
        return None
    extra = rng.choice(MERGE_DUP)
    one = a + ([''] if a and a[-1].strip() else []) + ['## Shared rules', '', extra, '']
    two = ['# Second file', ''] + dup + ([''] if dup and dup[-1].strip() else []) + b + ['', '## Shared rules', '', extra, '']
    merged = one + b
    return '\n'.join(one + two), '\n'.join(one + ['# Second file', ''] + b), b, one


@case('merge.lost-fact', 'harmful', 'two files are merged (original = both, concatenated); duplicates go once, and one fact of one source is lost')
def _(doc, rng):
    p = merge_parts(doc, rng)
    if not p:
        return None
    o, n, b, one = p
    d = Doc(n, doc.name)
    c = [i for i, k in enumerate(d.kind) if k in ('item', 'table') and (k == 'table' or d.leaf(i)) and weight(d.lines[i]) >= 3 and i >= len(one) + 2
         and sum(norm(x) == norm(d.lines[i]) for x in o.split('\n')) == 1 and not (k == 'table' and i + 1 < len(d.kind) and d.kind[i + 1] == 'tsep')]
    if not c:
        return None
    i = rng.choice(c)
    return out(o, d.with_lines({i: None}), lost=[body(d.lines[i])], where=d.where(i), line=i + 1)


@case('f.merge', 'faithful', 'two files are merged (original = both, concatenated); only identical duplicates are removed')
def _(doc, rng):
    p = merge_parts(doc, rng)
    return out(p[0], p[1]) if p else None


# ---------------------------------------------------------------- harmful: encoding damage
@case('encoding.nfd', 'harmful', 'composed letters are decomposed (NFC to NFD) in one line')
def _(doc, rng):
    def find(d):
        return [i for i, k in enumerate(d.kind) if k not in ('blank', 'fm') and unicodedata.normalize('NFD', d.lines[i]) != d.lines[i]
                and unicodedata.normalize('NFC', d.lines[i]) == d.lines[i] and not re.search('[\u0e00-\u0e7f]', d.lines[i])]
    d, c, a = maybe(doc, rng, 'accent', find)
    if not c:
        return None
    i = rng.choice(c)
    w = [x for x in re.findall(r'\S+', d.lines[i]) if unicodedata.normalize('NFD', x) != x]
    return out(d.text, d.with_line(i, unicodedata.normalize('NFD', d.lines[i])), changed=[(w[0], unicodedata.normalize('NFD', w[0]))], where=d.where(i), augmented=a)


@case('encoding.thai-am', 'harmful', 'Thai sara am is split into nikhahit and sara aa')
def _(doc, rng):
    d, c, a = maybe(doc, rng, 'th', lambda d: [i for i, s in enumerate(d.lines) if '\u0e33' in s])
    if not c:
        return None
    i = rng.choice(c)
    return out(d.text, d.with_line(i, d.lines[i].replace('\u0e33', '\u0e4d\u0e32')), changed=[('\u0e33', '\u0e4d\u0e32')], where=d.where(i), augmented=a)


@case('encoding.smart-code', 'harmful', 'straight quotes or double hyphens in code become typographic')
def _(doc, rng):
    c = [(p, m) for p in code_places(doc) for m in re.finditer(r'"[^"]*"|\'[^\']*\'|(?<![\w-])--(?=[a-z])', p[3])]
    if not c:
        return None
    (i, s, e, tx, wh), m = rng.choice(c)
    g = m.group(0)
    new = '\u2014' if g == '--' else ('\u201c%s\u201d' if g[0] == '"' else '\u2018%s\u2019') % g[1:-1]
    return at(doc, i, s, e, tx[:m.start()] + new + tx[m.end():], tx, wh)


@case('encoding.invisible', 'harmful', 'a BOM, zero-width, no-break or bidi control character appears')
def _(doc, rng):
    ch = rng.choice(['\ufeff', '\u200b', '\u200d', '\u202e', '\u2060', '\u00ad', '\u00a0'])
    if ch in doc.text:
        return None
    if ch == '\ufeff' and rng.random() < .6:
        return out(doc.text, ch + doc.text, changed=[('', 'U+FEFF')], where='start')
    c = code_places(doc)
    if not c:
        return None
    i, s, e, tx, wh = rng.choice(c)
    ks = [m.start() for m in re.finditer(' ' if ch == '\u00a0' else r'(?<=\w)\w', tx)]
    if not ks:
        return None
    k = rng.choice(ks)
    new = tx[:k] + ch + (tx[k + 1:] if ch == '\u00a0' else tx[k:])
    return at(doc, i, s, e, new, tx, wh, char='U+%04X' % ord(ch))


@case('encoding.mojibake', 'harmful', 'one line of UTF-8 is read as Windows-1252')
def _(doc, rng):
    def moji(s):
        b = s.encode('utf-8')
        return ''.join(bytes([x]).decode('cp1252', 'replace') if x >= 128 else chr(x) for x in b)
    c = [i for i, k in enumerate(doc.kind) if k not in ('blank', 'fm') and any(ord(x) > 127 for x in doc.lines[i])]
    if not c:
        return None
    i = rng.choice(c)
    w = [x for x in re.findall(r'\S+', doc.lines[i]) if any(ord(y) > 127 for y in x)][0]
    return out(doc.text, doc.with_line(i, moji(doc.lines[i])), changed=[(w, moji(w))], where=doc.where(i), line=i + 1)


@case('encoding.crlf-mix', 'harmful', 'some of the lines of an LF file end in CRLF (mixed endings)')
def _(doc, rng):
    if '\r' in doc.text or len(doc.lines) < 12:
        return None
    a = rng.randint(1, len(doc.lines) - 8)
    b = min(len(doc.lines) - 2, a + rng.randint(3, 40))
    return out(doc.text, '\n'.join(s + '\r' if a <= i <= b else s for i, s in enumerate(doc.lines)), changed=[('LF', 'CRLF')])


# ---------------------------------------------------------------- faithful: layout
@case('f.blank-lines', 'faithful', 'runs of blank lines collapse to one; blank lines at the ends go')
def f_blank(doc, rng):
    L = []
    for i, s in enumerate(doc.lines):
        L.append(s)
        if doc.kind[i] == 'blank' and rng.random() < .3 and i + 1 < len(doc.lines):
            L += [''] * rng.randint(1, 2)
    o = '\n'.join(L) + '\n' * rng.randint(0, 2)
    return out(o, doc.text) if o != doc.text else None


@case('f.trailing-space', 'faithful', 'trailing spaces and tabs that have no meaning are removed')
def f_trail(doc, rng):
    ok = [i for i, k in enumerate(doc.kind) if k in ('head', 'item', 'blank', 'table', 'hr') and not doc.lines[i].endswith(' ')]
    if len(ok) < 3:
        return None
    pick = set(rng.sample(ok, max(2, len(ok) // 5)))
    o = '\n'.join(s + rng.choice([' ', '\t', ' ']) if i in pick else s for i, s in enumerate(doc.lines))
    return out(o, doc.text)


def atoms(s):
    """Words of a line, code spans and links kept whole."""
    keep = []

    def sub(m):
        keep.append(m.group(0))
        return '\1%d\2' % (len(keep) - 1)
    t = RX['code'].sub(sub, s)
    t = re.sub(r'!?\[[^\[\]\n]*\]\([^()\s]*(?:\s"[^"]*")?\)', sub, t)

    def back(x):
        while '\1' in x:
            x = re.sub('\1(\\d+)\2', lambda m: keep[int(m.group(1))], x)
        return x
    return [back(w) for w in t.split()]


BADSTART = re.compile(r'^([-+*#>|=~]|\d+[.)]|`{3}|<|\[)')


@case('f.rewrap', 'faithful', 'paragraphs and list items are joined to one line or wrapped at another width')
def f_rewrap(doc, rng):
    width = rng.choice([60, 72, 80, 100, 10 ** 6, 10 ** 6])
    L, i, n, hit = [], 0, len(doc.lines), 0
    while i < n:
        k = doc.kind[i]
        if k in ('para', 'item') and not (k == 'item' and doc.lines[i].endswith('  ')):
            j = i + 1
            while j < n and doc.kind[j] == ('para' if k == 'para' else 'cont'):
                j += 1
            blk = doc.lines[i:j]
            m = RE_ITEM.match(blk[0])
            ind = ' ' * m.start(4) if m else re.match(r'\s*', blk[0]).group(0)
            first = blk[0][:m.start(4)] if m else ind
            hard = any(x.endswith(('  ', '\\')) for x in blk) or any(re.match(r'^\s*(=+|-+)\s*$', x) for x in blk[1:]) or any('<' in x or '|' in x or '\u3000' in x for x in blk) \
                or any(x.lstrip().startswith(('@', '[', '**')) for x in blk[1:]) or re.search('[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]', ''.join(blk)) or '\t' in first
            if not hard and (len(blk) > 1 or len(blk[0]) > width):
                ws = atoms(' '.join(x.strip() for x in [blk[0][len(first):]] + blk[1:]))
                rows_, cur = [], ''
                for w in ws:
                    if cur and len(cur) + 1 + len(w) > width - len(ind) and not BADSTART.match(w):
                        rows_.append(cur)
                        cur = w
                    else:
                        cur = (cur + ' ' + w) if cur else w
                rows_.append(cur)
                new = [first + rows_[0]] + [ind + x for x in rows_[1:]]
                if new != blk:
                    hit += 1
                    L += new
                    i = j
                    continue
            L += blk
            i = j
            continue
        L.append(doc.lines[i])
        i += 1
    return out(doc.text, '\n'.join(L), width=width if width < 999 else 'one line') if hit else None


@case('f.bullet-marker', 'faithful', 'every bullet marker changes (- to * or +)')
def f_bullet(doc, rng):
    new = rng.choice('*+-')
    L = list(doc.lines)
    for i, k in enumerate(doc.kind):
        m = RE_ITEM.match(L[i]) if k == 'item' else None
        if m and m.group(2) in '-*+':
            L[i] = m.group(1) + new + L[i][m.end(2):]
    n = '\n'.join(L)
    return out(doc.text, n, to=new) if n != doc.text else None


@case('f.emphasis-marker', 'faithful', 'emphasis is written with the other marker (** to __, * to _)')
def f_emph(doc, rng):
    L, hit = list(doc.lines), 0
    for i in doc.prose() + [h[0] for h in doc.heads[1:]]:
        w = mask(L[i])
        for rx, mk in ((r'(?<![\w*_\\])\*\*([^*_\0\s][^*_\0]*[^*_\0\s]|[^*_\0\s])\*\*(?![\w*_])', '__'), (r'(?<![\w*_\\])\*([^*_\0\s][^*_\0]*[^*_\0\s])\*(?![\w*_])', '_')):
            for m in reversed(list(re.finditer(rx, w))):
                if RE_ITEM.match(L[i]) and m.start() < RE_ITEM.match(L[i]).start(4):
                    continue
                L[i] = L[i][:m.start()] + mk + L[i][m.start(1):m.end(1)] + mk + L[i][m.end():]
                w = mask(L[i])
                hit += 1
    return out(doc.text, '\n'.join(L)) if hit else None


@case('f.heading-style', 'faithful', 'level 1 and 2 headings change between ATX and underlined, or gain closing #')
def f_head(doc, rng):
    hs = [h for h in doc.heads[1:] if h[1] <= 2 and (h[0] == 0 or doc.kind[h[0] - 1] in ('blank', 'fm'))]
    if not hs:
        return None
    mode = rng.choice(['setext', 'setext', 'closed'])
    L = list(doc.lines)
    for ln, lv, tx in hs:
        L[ln] = tx + '\n' + ('=' if lv == 1 else '-') * max(3, min(len(tx), 40)) if mode == 'setext' else '#' * lv + ' ' + tx.rstrip('#').rstrip() + ' ' + '#' * lv
    n = '\n'.join(L)
    return out(doc.text, n, mode=mode) if n != doc.text else None


@case('f.table-padding', 'faithful', 'table cells are padded to equal width or squeezed; separator dashes change length')
def f_table(doc, rng):
    tb = rows(doc, 1)
    if not tb:
        return None
    wide = rng.random() < .5
    L = list(doc.lines)
    for h, hc, g in tb:
        al = [re.sub('-+', '-', x.strip()) for x in doc.lines[h + 1].strip().strip('|').split('|')]
        if len(al) != len(hc):
            continue
        allr = [(h, hc)] + g
        w = [max(len(r[k]) for _, r in allr) for k in range(len(hc))]
        for i, r in allr:
            L[i] = '| ' + ' | '.join(x.ljust(w[k]) if wide else x for k, x in enumerate(r)) + ' |'
        L[h + 1] = '|' + '|'.join(x.replace('-', '-' * (w[k] + 2 if wide else 3), 1) for k, x in enumerate(al)) + '|'
    n = '\n'.join(L)
    return out(doc.text, n) if n != doc.text else None


@case('f.fence-style', 'faithful', 'code fences change between backticks and tildes')
def f_fence(doc, rng):
    if not doc.fences or any('~~~' in s or '````' in s for s in doc.lines) or any(not doc.lines[b].strip().startswith('`') or b == a for a, b, _ in doc.fences):
        return None
    L = list(doc.lines)
    for a, b, _ in doc.fences:
        L[a], L[b] = L[a].replace('```', '~~~', 1), L[b].replace('```', '~~~', 1)
    return out(doc.text, '\n'.join(L))


@case('f.list-indent', 'faithful', 'nested bullets are indented by four spaces instead of two')
def f_indent(doc, rng):
    its = [RE_ITEM.match(doc.lines[i]) for i, k in enumerate(doc.kind) if k == 'item']
    if not any(len(m.group(1)) == 2 for m in its) or any(m.group(2) not in '-*+' or len(m.group(1)) % 2 or '\t' in m.group(1) or m.group(3) != ' ' for m in its):
        return None
    if any(doc.lines[i].startswith(' ') and k not in ('item', 'blank') for i, k in enumerate(doc.kind)) or max(len(m.group(1)) for m in its) > 4:
        return None
    return out(doc.text, '\n'.join(' ' * len(re.match(' *', s).group(0)) + s if doc.kind[i] == 'item' else s for i, s in enumerate(doc.lines)))


@case('f.dup-line', 'faithful', 'an exact duplicate of a list item or paragraph of the same section is removed')
def f_dup(doc, rng):
    c = [i for i in movable(doc) if not (doc.kind[i] == 'item' and RE_ITEM.match(doc.lines[i]).group(2)[0].isdigit())]
    if not c:
        return None
    i = rng.choice(c)
    if doc.kind[i] == 'item':
        run = next((r for r in doc.lists() if i in r), [i])
        o = doc.insert(run[-1] + 1, [doc.lines[i]])
    else:
        o = doc.insert(i + 1, ['', doc.lines[i]])
    return out(o, doc.text, where=doc.where(i))


REFER = re.compile(r'(?i)\b(above|below|previous section|next section|preceding|following section)\b|\u4e0a\u8ff0|\u4e0b\u8a18|\u4e0a\u8a18|\u4e0a\u6587|\u4e0b\u6587|\u0e02\u0e49\u0e32\u0e07\u0e15\u0e49\u0e19|\boben\b|\bunten\b')


@case('f.section-move', 'faithful', 'a whole section (heading and body) moves to another place at the same level')
def f_secmove(doc, rng):
    for lv in rng.sample([2, 3], 2):
        ss = [x for x in doc.sections(lv)]
        # neighbours under one parent only
        pairs = [(a, b) for a, b in zip(ss, ss[1:]) if a[1] == b[0]]
        pairs = [(a, b) for a, b in pairs if not any(re.match(r'(?i)\W*(\d|step|phase|schritt)', doc.heads[doc.sec[x[0]]][2]) or
                 REFER.search('\n'.join(doc.lines[x[0]:x[1]])) or STEP.search(doc.heads[doc.sec[x[0]]][2]) for x in (a, b))]
        if pairs:
            a, b = rng.choice(pairs)
            A, B = doc.lines[a[0]:a[1]], doc.lines[b[0]:b[1]]
            if B and B[-1].strip():
                B = B + ['']
            n = '\n'.join(doc.lines[:a[0]] + B + A + doc.lines[b[1]:])
            return out(doc.text, n, moved_section=doc.lines[a[0]])
    return None


ANAPH = re.compile(r'(?i)^\W*(then|otherwise|else|also|same|it|they|this|these|that|first|finally|next|likewise|similarly|after|before|last|second|third|step|and|or|but|ditto)\b')


@case('f.list-reorder', 'faithful', 'the items of an unordered list without sequence words are reordered')
def f_reorder(doc, rng):
    c = []
    for run in doc.lists():
        if len(run) < 3 or RE_ITEM.match(doc.lines[run[0]]).group(2) not in '-*+' or STEP.search(intro(doc, run[0])):
            continue
        if any(ANAPH.match(body(doc.lines[i])) or REFER.search(doc.lines[i]) or doc.lines[i].rstrip().endswith(':') or re.search(r'(?i)\b(step|phase|priority)\b|^\W*\d+[.)]|\u2192', body(doc.lines[i])) for i in run):
            continue
        if not all(doc.leaf(i) for i in run):
            continue
        c.append(run)
    if not c:
        return None
    run = rng.choice(c)
    o = list(run)
    while o == run:
        rng.shuffle(o)
    if [doc.lines[i] for i in o] == [doc.lines[i] for i in run]:
        return None
    return out(doc.text, doc.with_lines({i: doc.lines[j] for i, j in zip(run, o)}), items=len(run))


@case('f.renumber', 'faithful', 'an ordered list numbered 1. 1. 1. is numbered 1. 2. 3., or the reverse')
def f_renum(doc, rng):
    d, c, a = maybe(doc, rng, 'steps', lambda d: [r for r in d.lists() if [RE_ITEM.match(d.lines[i]).group(2) for i in r] == ['%d.' % (k + 1) for k in range(len(r))] and len(r) >= 3])
    if not c:
        return None
    ones = {}
    for r in c:
        for i in r:
            m = RE_ITEM.match(d.lines[i])
            ones[i] = m.group(1) + '1.' + d.lines[i][m.end(2):]
    n = d.with_lines(ones)
    return out(n, d.text, augmented=a) if rng.random() < .5 else out(d.text, n, augmented=a)


@case('f.link-style', 'faithful', 'inline links become reference links, or the reverse')
def f_link(doc, rng):
    ts = [t for t in tokens(doc, {'link'}) if doc.kind[t.line] != 'table']
    if not ts:
        return None
    ts = rng.sample(ts, min(len(ts), rng.randint(1, 5)))
    L, defs = list(doc.lines), []
    for n, t in enumerate(sorted(ts, key=lambda t: (t.line, -t.s))):
        ref = 'ref-%d' % (n + 1)
        L[t.line] = L[t.line][:t.s] + '[%s][%s]' % (t.m.group(1), ref) + L[t.line][t.e:]
        defs.append('[%s]: %s' % (ref, t.m.group(2)))
    r = '\n'.join(L).rstrip('\n') + '\n\n' + '\n'.join(defs) + '\n'
    return out(doc.text, r) if rng.random() < .5 else out(r, doc.text)


@case('f.autolink', 'faithful', 'a bare URL gains angle brackets, or loses them')
def f_auto(doc, rng):
    d, ts, a = maybe(doc, rng, 'url', lambda d: [t for t in tokens(d, {'url'}) if d.lines[t.line][t.s - 1:t.s] in ('', ' ')])
    if not ts:
        return None
    t = rng.choice(ts)
    s = d.lines[t.line]
    n = d.with_line(t.line, s[:t.s] + '<' + t.text + '>' + s[t.e:])
    return out(d.text, n, augmented=a) if rng.random() < .5 else out(n, d.text, augmented=a)


MON = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split()
MONL = 'January February March April May June July August September October November December'.split()


@case('f.date-format', 'faithful', 'an ISO date is written DD-Mon-YYYY or D Month YYYY, the day unchanged')
def f_date(doc, rng):
    c = [t for t in tokens(doc, {'date'}) if 1 <= int(t.text[5:7]) <= 12]
    if not c:
        return None
    t = rng.choice(c)
    y, m, d = t.text.split('-')
    new, how = rng.choice([('%s-%s-%s' % (d, MON[int(m) - 1], y), 'DD-Mon-YYYY'), ('%d %s %s' % (int(d), MONL[int(m) - 1], y), 'D Month YYYY')])
    s = doc.lines[t.line]
    return out(doc.text, doc.with_line(t.line, s[:t.s] + new + s[t.e:]), how=how)


@case('f.number-group', 'faithful', 'the thousands separator of a number is added or removed')
def f_group(doc, rng):
    d, c, a = maybe(doc, rng, 'precision', lambda d: [t for t in tokens(d, {'number', 'unit'}) if re.search(r'\d,\d{3}', t.text)])
    if not c:
        return None
    t = rng.choice(c)
    s = d.lines[t.line]
    n = d.with_line(t.line, s[:t.s] + t.text.replace(',', '') + s[t.e:])
    return out(d.text, n, augmented=a) if rng.random() < .6 else out(n, d.text, augmented=a)


# ---------------------------------------------------------------- faithful: wording
FILLER = [(r'\bin order to\b', 'to'), (r'\bplease note that\s+', ''), (r'\bnote that\s+', ''), (r'\bit is important to note that\s+', ''), (r'\bdue to the fact that\b', 'because'),
          (r'\bmake use of\b', 'use'), (r'\bmakes use of\b', 'uses'), (r'\bmake sure that\b', 'ensure'), (r'\bmake sure to\s+', ''), (r'\bis able to\b', 'can'), (r'\bare able to\b', 'can'),
          (r'\bin the event that\b', 'if'), (r'\bfor the purpose of\b', 'for'), (r'\bbasically\s+', ''), (r'(?<=\. )please\s+', ''), (r'^((?:\s*[-*+]\s+)?)please\s+', r'\1'), (r'\bprior to\b', 'before'),
          (r'\bsubsequent to\b', 'after'), (r'\bwith regard to\b', 'about'), (r'\bregardless of whether\b', 'whether'), (r'\bensure that\b', 'ensure'), (r'\bwhether or not\b', 'whether'),
          (r'\ball of the\b', 'all the'), (r'\beach and every\b', 'every'), (r'\bremember to\s+', ''), (r'\bas well as\b', 'and'), (r'\bthis file provides guidance to\b', 'guidance for'),
          (r'\bin case of\b', 'on'), (r'\ba wide range of\b', 'many'), (r'\bat all times\b', 'always'), (r'\bon a regular basis\b', 'regularly'), (r'\bin the case of\b', 'for'),
          (r'\bthe fact that\b', 'that'), (r'\bit should be noted that\s+', ''), (r'\bkeep in mind that\s+', ''), (r'\bof course,?\s+', ''), (r'\u8bf7\u6ce8\u610f[\uff0c,\uff1a:]\s*', ''),
          (r'\u9700\u8981\u6ce8\u610f\u7684\u662f[\uff0c,]\s*', ''), (r'\u3059\u308b\u3053\u3068\u304c\u3067\u304d\u307e\u3059', '\u3067\u304d\u307e\u3059'), (r'\u0e42\u0e1b\u0e23\u0e14\u0e17\u0e23\u0e32\u0e1a\u0e27\u0e48\u0e32\s*', '')]
FILLER = [(re.compile(p, re.I | re.M), r) for p, r in FILLER]
FILL_BANK = ['Please note that the {n} fixtures are generated by `gen-{m}.py` in order to keep runs equal.', 'It is important to note that the `lane-{n}` cache is able to hold {m} entries.',
             'Make sure to run `check-{n}` prior to tagging, due to the fact that tags trigger job {m}.', 'In the event that port 80{m} is taken, make use of port 90{n}.',
             'Keep in mind that the `svc-{n}` job retries {m} times on a regular basis.']


def reword(doc, rng, table, bank, p=1.0):
    L, hit = list(doc.lines), 0

    def fix(i):
        nonlocal hit
        s = L[i]
        for rx, rep in table:
            w = mask(s)
            w = RX['quote'].sub(lambda m: '\0' * len(m.group(0)), w)
            for m in reversed(list(rx.finditer(w))):
                if rng.random() > p:
                    continue
                a, b = m.span()
                r = m.expand(rep) if '\\' in rep else rep
                src = s[a:b]
                if '\\' in rep:
                    tail = s[b:b + 1].upper() + s[b + 1:]
                    s = s[:a] + r + tail
                elif r:
                    s = s[:a] + (r[0].upper() + r[1:] if src[:1].isupper() else r) + s[b:]
                else:
                    nx = s[b:]
                    s = s[:a] + (nx[:1].upper() + nx[1:] if src[:1].isupper() else nx)
                hit += 1
                w = mask(s)
        L[i] = s
    idx = [i for i in doc.prose() if doc.kind[i] != 'quote']
    for i in idx:
        fix(i)
    return '\n'.join(L), hit


def reworder(table, bank):
    def fn(doc, rng):
        n, hit = reword(doc, rng, table, bank)
        if hit:
            return out(doc.text, n, edits=hit)
        d, p, _ = augment_text(doc, rng, rng.choice(bank).format(**nums(rng)))
        n, hit = reword(d, rng, table, bank)
        return out(d.text, n, edits=hit, augmented=True) if hit else None
    return fn


def augment_text(doc, rng, s):
    BANK['_'] = [[s.replace('{', '{{').replace('}', '}}')]]
    return augment(doc, rng, '_')


case('f.filler', 'faithful', 'filler wording is shortened by a fixed phrase list ("in order to" to "to"); every fact is kept')(reworder(FILLER, FILL_BANK))

CONTR = [(r'\bdo not\b', "don't"), (r'\bdoes not\b', "doesn't"), (r'\bcannot\b', "can't"), (r'\bis not\b', "isn't"), (r'\bare not\b', "aren't"), (r'\bshould not\b', "shouldn't"), (r'\bwill not\b', "won't")]
CONTR2 = [(r"\bdon't\b", 'do not'), (r"\bdoesn't\b", 'does not'), (r"\bcan't\b", 'cannot'), (r"\bisn't\b", 'is not'), (r"\baren't\b", 'are not'), (r"\bshouldn't\b", 'should not'), (r"\bwon't\b", 'will not')]
CONTR, CONTR2 = ([(re.compile(p, re.I), r) for p, r in t] for t in (CONTR, CONTR2))


@case('f.contraction', 'faithful', '"do not" and "don\'t" and the like are exchanged')
def _(doc, rng):
    t = rng.sample([CONTR, CONTR2], 2)
    for x in t:
        n, hit = reword(doc, rng, x, None)
        if hit:
            return out(doc.text, n, edits=hit)
    return None


def word(p):
    """A lower-case word that is no part of a name, path or compound."""
    return re.compile(r'(?<![\w/.-])' + p.replace(r'\b', '') + r'(?![\w/-]|\.\w)')


SYN = [(word(p), r) for p, r in ((r'\butilizes\b', 'uses'), (r'\butilize\b', 'use'), (r'\brepository\b', 'repo'), (r'\bconfiguration\b', 'config'), (r'\bdirectories\b', 'folders'),
       (r'\bdirectory\b', 'folder'), (r'\bdocumentation\b', 'docs'), (r'\badditionally\b', 'also'), (r'\bhowever\b', 'but'), (r'\btherefore\b', 'so'), (r'\bapproximately\b', 'about'),
       (r'e\.g\.', 'for example'), (r'i\.e\.', 'that is'), (r'\bdependencies\b', 'deps'), (r'\benvironment variables?\b', 'env var'), (r'\bimplementation\b', 'impl'))]
SYN_BANK = ['The documentation directory of lane {n} holds approximately {m} files.']
case('f.synonym', 'faithful', 'common words are replaced by an equal shorter word (repository/repo, directory/folder)')(
    reworder(SYN, SYN_BANK))

VOICE = [('The `loader-{n}` module reads `table-{m}.csv` once per run.', '`table-{m}.csv` is read once per run by the `loader-{n}` module.'),
         ('`sync-{n}` writes the report to `out/{m}.json`.', 'The report is written to `out/{m}.json` by `sync-{n}`.'),
         ('The `guard-{n}` hook rejects commits larger than {m} MB.', 'Commits larger than {m} MB are rejected by the `guard-{n}` hook.'),
         ('CI job {n} must build `pkg-{m}` before the tests.', '`pkg-{m}` must be built by CI job {n} before the tests.'),
         ('Service {n} never deletes rows younger than {m} days.', 'Rows younger than {m} days are never deleted by service {n}.'),
         ('The scheduler starts worker {n} after queue {m} is empty.', 'Worker {n} is started by the scheduler after queue {m} is empty.')]


@case('f.voice', 'faithful', 'a sentence changes between active and passive voice')
def _(doc, rng):
    a, b = rng.choice(VOICE)
    f = nums(rng)
    a, b = a.format(**f), b.format(**f)
    if rng.random() < .5:
        a, b = b, a
    d, p, n = augment_text(doc, rng, rng.choice(['', '- ']) + a)
    return out(d.text, d.text.replace(a, b, 1), augmented=True, changed_voice=a) if d.text.count(a) == 1 else None


CLAUSE = re.compile(r'^((?:\s*[-*+]\s+|\s*\d+\.\s+)?)(Before|After|When|If|Unless|For|During|To)\s([^,.;:\0]{5,70}),\s([a-z`*][^;\n\0]{5,140}?)\.$')


CLAUSE_BANK = ['Before merging branch {n}, run `suite-{m}`.', 'After editing `schema-{n}.sql`, rebuild index {m}.', 'When queue {n} holds more than {m} jobs, pause the feeder.',
               'If check {n} fails twice, page the on-call within {m} minutes.']


@case('f.clause-order', 'faithful', '"Before X, do Y." becomes "Do Y before X." or the reverse')
def _(doc, rng):
    c = []
    for i in doc.prose():
        if doc.kind[i] not in ('para', 'item'):
            continue
        if doc.kind[i] == 'para' and (doc.kind[i - 1] == 'para' or (i + 1 < len(doc.kind) and doc.kind[i + 1] == 'para')):
            continue
        m = CLAUSE.match(doc.lines[i])
        if m and any(m.group(g).count(x) != m.group(g).count(y) for g in (3, 4) for x, y in ('()', '[]', '\u201c\u201d')) or m and m.group(4).count('**') % 2:
            continue
        if m and '. ' not in m.group(4) and not re.search(r'\b(it|they|them|then|this|that)\b', m.group(3) + ' ' + m.group(4)) and m.group(4)[0] != '*':
            c.append((i, m))
    a = False
    d = doc
    if not c:
        s = rng.choice(CLAUSE_BANK).format(**nums(rng))
        d, p, _ = augment_text(doc, rng, rng.choice(['', '- ']) + s)
        c = [(i, CLAUSE.match(x)) for i, x in enumerate(d.lines) if x.endswith(s) and CLAUSE.match(x)]
        a = True
        if not c:
            return None
    i, m = rng.choice(c)
    y = m.group(4)
    y = y[0].upper() + y[1:]
    n = '%s%s %s %s.' % (m.group(1), y, m.group(2).lower(), m.group(3))
    nx = d.with_line(i, n)
    return out(d.text, nx, augmented=a) if rng.random() < .6 else out(nx, d.text, augmented=a)


@case('f.list-to-line', 'faithful', 'short sibling bullets become one line, joined by semicolons')
def _(doc, rng):
    c = []
    for run in doc.lists():
        if 2 <= len(run) <= 5 and RE_ITEM.match(doc.lines[run[0]]).group(2) in '-*+' and not RE_ITEM.match(doc.lines[run[0]]).group(1) and all(doc.leaf(i) for i in run):
            bs = [body(doc.lines[i]) for i in run]
            if all(len(b) < 90 and ';' not in b and not RE_CHECK.match(doc.lines[i]) and not b.endswith(':') and '. ' not in b for b, i in zip(bs, run)) and doc.kind[run[0] - 1] == 'blank':
                c.append((run, bs))
    if not c:
        return None
    run, bs = rng.choice(c)
    bs = [b.rstrip('.') for b in bs]
    return out(doc.text, '\n'.join(doc.lines[:run[0]] + ['; '.join(bs) + '.'] + doc.lines[run[-1] + 1:]), items=len(run))


@case('f.para-to-list', 'faithful', 'the sentences of a one-line paragraph become bullets, in order')
def _(doc, rng):
    c = []
    for i, k in enumerate(doc.kind):
        if k == 'para' and doc.kind[i - 1] == 'blank' and (i + 1 == len(doc.kind) or doc.kind[i + 1] == 'blank') and not doc.lines[i].endswith(':'):
            s = doc.lines[i]
            w = mask(s)
            cuts = [0] + [m.end() for m in re.finditer(r'(?<=[^\W\d_][^\W\d_])\.\s+(?=[A-Z])', w)] + [len(s)]
            p = [s[a:b].strip() for a, b in zip(cuts, cuts[1:])]
            if len(p) >= 2 and all(weight(x) >= 2 and x.count('**') % 2 == 0 and x.count('(') == x.count(')') for x in p) and not re.match(r'(?i)(it|this|these|they|that)\b', p[0]):
                c.append((i, p))
    if not c:
        return None
    i, p = rng.choice(c)
    return out(doc.text, '\n'.join(doc.lines[:i] + ['- ' + x for x in p] + doc.lines[i + 1:]), items=len(p))


COMBO = [f_blank, f_trail, f_bullet, f_emph, f_rewrap, f_table, f_fence, f_secmove, f_reorder, CLASSES['f.filler'][1], CLASSES['f.contraction'][1], f_link]


def combo(text, name, rng, k):
    """Apply k faithful edits in turn to text (only those that edit forward)."""
    fs, n = rng.sample(COMBO[2:], len(COMBO) - 2), 0
    used = []
    for f in fs:
        if n == k:
            break
        r = f(Doc(text, name), rng)
        if r and r[0] == text and r[1] != text:
            text, n = r[1], n + 1
            used.append(next(x for x, v in CLASSES.items() if v[1] is f))
    return text, used


@case('f.combined', 'faithful', 'three to five of the faithful edits at once')
def _(doc, rng):
    t, used = combo(doc.text, doc.name, rng, rng.randint(3, 5))
    return out(doc.text, t, edits=used) if len(used) >= 3 else None


def hidden(names):
    def fn(doc, rng):
        r = CLASSES[rng.choice(names)][1](doc, rng)
        if not r:
            return None
        o, n, det, exp = r
        t, used = combo(n, doc.name, rng, rng.randint(2, 4))
        if len(used) < 2:
            return None
        det = dict(det, edits=used)
        return o, t, det, exp
    return fn


case('hidden.drop', 'harmful', 'one drop.* edit inside a rewrite with two to four faithful edits')(
    hidden(['drop.code-span', 'drop.number-unit', 'drop.list-item', 'drop.sentence', 'drop.table-row', 'drop.fence-line', 'drop.link-dest', 'drop.heading']))
case('hidden.change', 'harmful', 'one change.* edit inside a rewrite with two to four faithful edits')(
    hidden(['change.digit', 'change.path', 'change.version', 'change.code-digit', 'change.unit', 'change.flag', 'change.case']))
case('hidden.swap', 'harmful', 'one swap.* edit inside a rewrite with two to four faithful edits')(hidden(['swap.line', 'swap.list', 'swap.table', 'swap.section']))
case('hidden.strength', 'harmful', 'one strength.* edit inside a rewrite with two to four faithful edits')(
    hidden(['strength.modal', 'strength.negation', 'strength.exception', 'strength.comparator', 'strength.order', 'strength.scope']))
case('hidden.term', 'harmful', 'one change.name, antonym, noun or verb edit inside a rewrite with two to four faithful edits')(
    hidden(['change.name', 'change.antonym', 'change.noun', 'change.verb']))


HEAVY = COMBO[2:] + [f_date, f_head, f_indent, CLASSES['f.synonym'][1], CLASSES['f.clause-order'][1], CLASSES['f.list-to-line'][1], CLASSES['f.para-to-list'][1]]


def heavy(text, name, rng):
    """Every faithful edit that applies, once each, in random order; layout edits of list text come last."""
    used = []
    for f in rng.sample(HEAVY, len(HEAVY)):
        r = f(Doc(text, name), rng)
        if r and r[0] == text and r[1] != text and not r[2].get('augmented'):
            text = r[1]
            used.append(next(x for x, v in CLASSES.items() if v[1] is f))
    return text, used


@case('f.heavy', 'faithful', 'every faithful edit that applies to the file (seven or more)')
def _(doc, rng):
    t, used = heavy(doc.text, doc.name, rng)
    return out(doc.text, t, edits=used) if len(used) >= 7 else None


ALL_HIDDEN = ['drop.code-span', 'drop.number-unit', 'drop.list-item', 'drop.sentence', 'drop.table-row', 'drop.fence-line', 'change.digit', 'change.path', 'change.unit',
              'swap.line', 'swap.list', 'swap.table', 'strength.modal', 'strength.negation', 'strength.exception', 'strength.order', 'strength.scope']


@case('hidden.heavy', 'harmful', 'one drop, change, swap or strength edit inside a rewrite with every faithful edit that applies (six or more)')
def _(doc, rng):
    r = CLASSES[rng.choice(ALL_HIDDEN)][1](doc, rng)
    if not r:
        return None
    t, used = heavy(r[1], doc.name, rng)
    return (r[0], t, dict(r[2], edits=used), r[3]) if len(used) >= 6 else None


# ---------------------------------------------------------------- neutral: reported, not scored
@case('n.redundant-drop', 'neutral', 'a token is dropped from one line while the same token stands elsewhere in the file')
def _(doc, rng):
    return token_drop(doc, rng, rng.choice(['code', 'number', 'unit', 'version', 'date', 'url', 'link', 'wikilink']), None, True)


@case('n.prose-quotes', 'neutral', 'straight quotes in prose become typographic')
def _(doc, rng):
    c = [t for t in tokens(doc, {'quote'}) if t.text[0] == '"']
    if not c:
        return None
    t = rng.choice(c)
    s = doc.lines[t.line]
    return out(doc.text, doc.with_line(t.line, s[:t.s] + '\u201c' + t.text[1:-1] + '\u201d' + s[t.e:]))


@case('n.bold-removed', 'neutral', 'the bold of one phrase is removed')
def _(doc, rng):
    c = [(i, m) for i in doc.prose() for m in re.finditer(r'\*\*([^*\0]+)\*\*', mask(doc.lines[i]))]
    if not c:
        return None
    i, m = rng.choice(c)
    s = doc.lines[i]
    return out(doc.text, doc.with_line(i, s[:m.start()] + s[m.start(1):m.end(1)] + s[m.end():]))


@case('n.crlf-all', 'neutral', 'every line ending changes from LF to CRLF')
def _(doc, rng):
    return out(doc.text, doc.text.replace('\n', '\r\n')) if '\r' not in doc.text else None


# ---------------------------------------------------------------- driver
def excerpt(text, limit):
    """A long file is cut before a heading, so that a case stays small."""
    if len(text.encode('utf-8')) <= limit:
        return text
    head = text.encode('utf-8')[:limit].decode('utf-8', 'ignore')
    d = Doc(head, '')
    cuts = [h[0] for h in d.heads[1:] if h[1] <= 3 and h[0] > len(d.lines) // 2]
    return '\n'.join(d.lines[:cuts[-1]] if cuts else d.lines[:-1]).rstrip() + '\n'


def check(label, name, orig, nxt, exp):
    """Label checks that hold for every case of a class; an edit that fails one is thrown away."""
    if orig == nxt or not orig.strip() or '\0' in nxt or '\1' in nxt:
        return False
    if label == 'harmful':
        if not exp:
            return False
        flat = lambda s: re.sub(r'\s+', ' ', s).strip()
        if not name.startswith(('encoding.', 'reloc.')) and flat(orig) == flat(nxt):
            return False
        if name.startswith('drop.') and name not in ('drop.checkbox', 'drop.table-cell', 'drop.frontmatter-value', 'drop.table-row', 'drop.heading'):
            for x in exp.get('lost', []):
                if len(x) > 3 and flat(x).lower() in flat(nxt).lower():
                    return False
    return True


def build(src, per_class, seed, patterns, limit, least):
    files = sorted(f for f in os.listdir(src) if f.endswith('.md'))
    docs = []
    for f in files:
        with open(os.path.join(src, f), encoding='utf-8', newline='') as h:
            t = h.read()
        if '\r' in t:
            t = t.replace('\r\n', '\n').replace('\r', '\n')
        t = excerpt(t, limit)
        if len(t) >= least:
            docs.append(Doc(t, f))
    for name, (label, fn, _) in CLASSES.items():
        if not any(fnmatch.fnmatch(name, p) for p in patterns):
            continue
        rng = random.Random('%s/%s' % (seed, name))
        seen, got, used, tries, order = set(), 0, Counter(), 0, []
        cap = max(2, -(-per_class // 8))
        natural = 8 * len(docs)              # so many tries take only constructs the files have themselves
        while got < per_class and tries < natural + 8 * len(docs):
            if not order:
                order = docs[:]
                rng.shuffle(order)
            if tries == 2 * len(docs) and not got:
                natural = tries              # the files have none of it
            d = order.pop()
            tries += 1
            if used[d.name] >= cap * (1 if tries < natural else 2):
                continue
            r = fn(d, random.Random('%s/%s/%s/%d' % (seed, name, d.name, tries)))
            if not r:
                continue
            o, n, det, exp = r
            if det.get('augmented') and tries < natural:
                continue
            key = hashlib.sha256((name + '\0' + o + '\0' + n).encode('utf-8', 'surrogatepass')).hexdigest()
            if key in seen or not check(label, name, o, n, exp):
                continue
            seen.add(key)
            got += 1
            used[d.name] += 1
            det = {k: v for k, v in det.items() if v not in (None, False)}
            det['file'] = d.name
            yield {'id': key[:16], 'orig': o, 'next': n, 'label': label, 'class': name, 'detail': det, 'expected': exp}


def load_wording(path):
    """Replace the wording lists, so that a test set can use wording that the tool does not show."""
    with open(path, encoding='utf-8') as f:
        w = json.load(f)
    if 'filler' in w:
        FILLER[:] = [(re.compile(p, re.I | re.M), r) for p, r in w['filler']]
    if 'synonym' in w:
        SYN[:] = [(word(p), r) for p, r in w['synonym']]
    for key, lst in (('filler_bank', FILL_BANK), ('synonym_bank', SYN_BANK), ('clause_bank', CLAUSE_BANK)):
        if key in w:
            lst[:] = w[key]
    if 'voice' in w:
        VOICE[:] = [tuple(x) for x in w['voice']]
    if 'strength' in w:
        STRENGTH[:] = [(c, l, re.compile(p, re.I if l in ('en', 'any') else 0), r, d) for c, l, p, r, d in w['strength']]
    if 'antonym' in w:
        ANTONYM[:] = compile_antonyms(w['antonym'])
    TERMS.update(w.get('terms', {}))
    BANK.update(w.get('bank', {}))


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('--src', help='folder of .md files')
    ap.add_argument('--out', default='-', help='output JSONL (default: standard output)')
    ap.add_argument('--per-class', type=int, default=30, help='cases wanted per class (default 30)')
    ap.add_argument('--seed', default='1', help='seed (default 1)')
    ap.add_argument('--classes', default='*', help='comma-separated class patterns, such as "swap.*,f.*" (default all)')
    ap.add_argument('--max-bytes', type=int, default=14000, help='cut longer files before a heading at this size (default 14000)')
    ap.add_argument('--min-chars', type=int, default=700, help='leave out shorter files (default 700)')
    ap.add_argument('--wording', metavar='FILE', help='JSON file whose lists replace the built-in filler, synonym, voice, clause, strength and antonym wording and the kinds of terms')
    ap.add_argument('--list', action='store_true', help='print the classes with their labels and definitions, then exit')
    ap.add_argument('--sample', type=int, default=0, metavar='N', help='print N random cases as short diffs for reading by eye, instead of JSONL')
    a = ap.parse_args()
    if a.list:
        for n, (l, _, d) in CLASSES.items():
            print('%-24s %-9s %s' % (n, l, d))
        return 0
    if not a.src:
        ap.error('--src is needed')
    if a.wording:
        load_wording(a.wording)
    cs = build(a.src, a.per_class, a.seed, a.classes.split(','), a.max_bytes, a.min_chars)
    if a.sample:
        import difflib
        cs = list(cs)
        random.Random(a.seed).shuffle(cs)
        for c in cs[:a.sample]:
            print('== %s %s %s %s' % (c['id'], c['class'], c['label'], json.dumps(c['detail'], ensure_ascii=False)))
            print('   expected', json.dumps(c['expected'], ensure_ascii=False)[:240])
            k = 0
            for x in difflib.unified_diff(c['orig'].split('\n'), c['next'].split('\n'), lineterm='', n=1):
                if not x.startswith(('---', '+++')):
                    print('   ' + x[:230])
                    k += 1
                    if k > 14:
                        break
        return 0
    f = sys.stdout if a.out == '-' else open(a.out, 'w', encoding='utf-8', newline='\n')
    tot = Counter()
    for c in cs:
        f.write(json.dumps(c, ensure_ascii=False, sort_keys=True) + '\n')
        tot[c['label'], c['class']] += 1
    if f is not sys.stdout:
        f.close()
    for (l, n), k in sorted(tot.items()):
        print('%-9s %-24s %d' % (l, n, k), file=sys.stderr)
    print('cases %d' % sum(tot.values()), file=sys.stderr)
    return 0


if __name__ == '__main__':
    sys.exit(main())
