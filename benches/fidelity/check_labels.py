#!/usr/bin/env python3
"""Prove that the labels of the rewrites are complete and point to the right lines.

For each pair the words of every row are cut out of the two texts. What is left must be the same words in the same
order, but for layout. Words that differ and have no row, words that do not stand on their line, and unknown
verdicts are errors. Prints one line for each pair, then totals; exit status 1 when there was an error.
"""
import csv, difflib, os, re, sys
from collections import Counter

VERDICTS = {'faithful', 'lost', 'changed', 'weakened', 'moved', 'arguable'}
HARM = {'lost', 'changed', 'weakened', 'moved'}
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'rewrites')


def find(text, words, line, taken):
    """The first place of the words that starts on the line and is not taken, across line ends."""
    pattern = r'\s+(?:>\s+)?'.join(re.escape(w) for w in words.split())
    letter = '[0-9A-Za-zÀ-ɏ]'
    if re.match(letter, words):
        pattern = f'(?<!{letter})' + pattern
    if re.search(letter + '$', words):
        pattern += f'(?!{letter})'
    for m in re.finditer(pattern, text):
        if line is not None and text.count('\n', 0, m.start()) + 1 != line:
            continue
        if all(m.end() <= a or m.start() >= b for a, b in taken):
            return m.span()
    return None


def rest(text, taken):
    """The words outside the rows, without layout; a letter of a script without spaces is a word."""
    for a, b in sorted(taken, reverse=True):
        text = text[:a] + ' ' + text[b:]
    text = re.sub(r'^\s*(?:[-*+]|\d+[.)]|#+|>|\||```\w*|~~~\w*|[-:| ]+$)\s', ' ', text, flags=re.M)
    text = re.sub(r'<!--|-->|[*_|>#`]|^[-=]{3,}$', ' ', text, flags=re.M)
    return re.findall(r'[0-9A-Za-zÀ-ɏ]+|[^\W_]', text.lower())


def check(stem):
    read = lambda ext: open(os.path.join(HERE, stem + ext), encoding='utf-8', newline='').read()
    old, new, errors, verdicts = read('.old.md'), read('.new.md'), [], Counter()
    taken = {'old': [], 'new': []}
    rows = list(csv.DictReader(read('.labels.tsv').splitlines(), delimiter='\t', quoting=csv.QUOTE_NONE))
    for n, row in enumerate(rows, 2):
        verdicts[row['verdict']] += 1
        if row['verdict'] not in VERDICTS or not row['note']:
            errors.append(f'row {n}: verdict or note')
        for side, text in (('old', old), ('new', new)):
            words = row[side + '_words']
            if words == '-':
                continue
            span = find(text, words, int(row[side + '_line']), taken[side])
            if span is None:
                errors.append(f'row {n}: not on line {row[side + "_line"]} of {side}: {words}')
            else:
                taken[side].append(span)
    a, b = rest(old, taken['old']), rest(new, taken['new'])
    for tag, i, j, k, l in difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag != 'equal':
            errors.append(f'no row: {" ".join(a[i:j])!r} -> {" ".join(b[k:l])!r}')
    return len(old.encode()), len(new.encode()), verdicts, errors


def main():
    stems = sorted(f[:-len('.labels.tsv')] for f in os.listdir(HERE) if f.endswith('.labels.tsv'))
    total, harmful, bad = Counter(), 0, 0
    for stem in stems:
        size, now, verdicts, errors = check(stem)
        total += verdicts
        harmful += any(verdicts[v] for v in HARM)
        bad += len(errors)
        print(f'{stem}  {size:5} -> {now:5} bytes ({now * 100 // size}%)  '
              + ', '.join(f'{v} {k}' for v, k in sorted(verdicts.items())))
        for e in errors:
            print('   ', e)
    print(f'{len(stems)} pairs, {harmful} with harm; rows: ' + ', '.join(f'{v} {k}' for v, k in sorted(total.items())))
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
