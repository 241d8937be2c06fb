#!/usr/bin/env python3
"""How often the class of a finding belongs to the family of what was done.

  families.py CASES.jsonl --batch 'coalwash gate --batch {cases} --json'

Which class belongs to which family stands in families.tsv. A case counts as right when any finding that
blocks is of its family. Prints the share for each family, and lists harmful cases that only advisory
findings name, of which there may be none.
"""
import argparse
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile
from collections import defaultdict

HERE = pathlib.Path(__file__).parent
INSIDE = {'hidden.drop': 'drop', 'hidden.change': 'change', 'hidden.swap': 'swap',
          'hidden.strength': 'strength', 'hidden.term': 'change'}


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument('cases')
    args.add_argument('--batch', required=True)
    args = args.parse_args()
    lines = (HERE / 'families.tsv').read_text().splitlines()
    table = {c: f.split() for c, f in (x.split('\t') for x in lines if x and not x.startswith('#'))}
    cases = [json.loads(x) for x in open(args.cases, encoding='utf-8') if x.strip()]
    with tempfile.NamedTemporaryFile('w', suffix='.jsonl', encoding='utf-8') as blind:
        for case in cases:
            blind.write(json.dumps({k: case[k] for k in ('id', 'orig', 'next')}, ensure_ascii=False) + '\n')
        blind.flush()
        command = [part.replace('{cases}', blind.name) for part in shlex.split(args.batch)]
        out = subprocess.run(command, stdout=subprocess.PIPE, check=True, encoding='utf-8').stdout
    answers = {a['id']: a for a in map(json.loads, out.splitlines())}
    right, total, only = defaultdict(int), defaultdict(int), []
    for case in cases:
        if case['label'] != 'harmful':
            continue
        found = answers[case['id']]['findings']
        blocking = [f['class'] for f in found if f['blocking']]
        if found and not blocking:
            only.append(case['id'])
        family = INSIDE.get(case['class'], case['class'].split('.')[0])
        total[family] += 1
        # A merge loses whatever it loses; a heavy rewrite hides any edit.
        right[family] += bool(blocking) if family == 'hidden' else any(family in table[c] for c in blocking)
    for family in sorted(total):
        print('family %-10s right in %5.1f%% of %d' % (family, 100 * right[family] / total[family], total[family]))
    print('class family right: %.1f%% of %d' % (100 * sum(right.values()) / sum(total.values()), sum(total.values())))
    print('harmful and only advisory: %d %s' % (len(only), ' '.join(only[:5])))
    return 1 if only else 0


sys.exit(main())
