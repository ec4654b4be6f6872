import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { analyzeCommand } from '../analyze-command.ts'
import { expandScript } from './expand-script.ts'
import { hasBubblewrap, noBubblewrap } from '../testing/bash-trials.ts'
import { seededRandom } from '../testing/random-commands.ts'
import { executedCommands } from '../testing/run-in-bash.ts'

const full = process.env['TROUPE_TEST_FULL'] === '1'
const seed = Number(process.env['TROUPE_TEST_SEED'] ?? (full ? Date.now() % 1_000_000 : 4880))

let base: string
const files = ['a.txt', 'b.txt', 'c d.txt', '.hidden', 'x', '-n', 'sub/e.txt', 'sub/f.md', 'sub/deep/g.txt', '*']

beforeAll(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), 'unroll-')))
  for (const file of files) {
    mkdirSync(path.dirname(path.join(base, file)), { recursive: true })
    writeFileSync(path.join(base, file), '')
  }
  symlinkSync('/etc/passwd', path.join(base, 'sub/link'))
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

const unrolled = (text: string): string | undefined => expandScript(text, { cwd: base, home: '/home/me' })?.text

describe('a command is written out', () => {
  it.each([
    ['cat sub/*.txt', 'cat sub/e.txt'],
    ['cat sub/*/*.txt', 'cat sub/deep/g.txt'],
    ['ls ?.txt', undefined],
    ['wc -l sub/* | tail -1', 'wc -l sub/deep sub/e.txt sub/f.md sub/link | tail -1'],
    ['cat *.none', `cat '*.none'`],
    ['cat "*.txt"', undefined],
    ['cat ~/x $HOME/y "$HOME"', 'cat /home/me/x /home/me/y /home/me'],
    ['d=sub; ls $d/*.md', 'd=sub ; ls sub/f.md'],
    ['cd sub && cat *.md', 'cd sub && cat f.md'],
    ['cd sub; cat *.md', 'cd sub ; cat f.md'],
    ['cd none; cat *.md', undefined],
    ['cd sub && cat *.md; cat *.md', 'cd sub && cat f.md ; cat f.md'],
    ['cd none && cat *.md; cat *.md', undefined],
    ['for f in sub/*.txt a b; do wc -l "$f"; done', 'wc -l sub/e.txt ; wc -l a ; wc -l b'],
    ['for f in *.txt; do cat $f; done', undefined],
    ['if [ -f x ]; then cat x; else echo no; fi', '[ -f x ] ; cat x ; echo no'],
    ['cat x | while read -r l; do echo "$l"; done', 'cat x | echo x'],
    ['while IFS= read -r l; do echo "$l"; done < x', 'echo x ; : < x'],
    ['cat x | while read -r l; do cat "$l"; done', undefined],
    ['echo "now: $(date)"', `date ; echo 'now: x'`],
    ['echo $(date)', undefined],
    ['find sub -name "*.md" | xargs wc -l', `find sub -name '*.md' | wc -l sub/f.md`],
    ['find . -name "*.txt" | xargs wc -l', undefined],
    ['find sub -type f -exec wc -l {} +', 'find sub -type f ; wc -l sub/f.md sub/e.txt sub/deep/g.txt'],
    ['find sub -name none -exec cat {} +', 'find sub -name none ; cat /dev/null'],
    ['find sub -name none | while read f; do rm "$f"; done', 'find sub -name none | rm /dev/null'],
    // Names that start with a dash would be options, and the file order is not certain.
    ['cat *', undefined],
    ['grep sub/*', undefined],
    ['head -n sub/*', undefined],
    ['awk sub/*', undefined],
    ['cat $X', undefined],
    ['cat {a,sub/*.md}.x', `cat a.x 'sub/*.md.x'`],
    ['cat {sub,x}/*.md', `cat sub/f.md 'x/*.md'`],
    ['{cat,rm} a', undefined],
    ['cat {a,$X}', undefined],
    ['cat {a..c}', 'cat a b c'],
    ['cat {a..$X}', undefined],
    ['[[ -f x || -d y ]] && ls', 'test -f x ; test -d y && ls'],
    ['[[ $(wc -l < x) -gt 1 ]] && ls', 'wc -l < x ; : && ls'],
    ['n=1; for f in sub/*.md; do n=$((n + 1)); done; echo $n', 'n=1 ; n=1 ; echo 1'],
    ['n=$(cat x); echo $((n))', undefined],
    ['wc -l < <(ls sub/*.md)', 'ls sub/f.md ; wc -l < /dev/null'],
    ['grep x --include=*.none sub/*.md', `grep x '--include=*.none' sub/f.md`],
    ['git diff HEAD@{1} sub/*.md', `git diff 'HEAD@{1}' sub/f.md`],
    ['diff <(ls sub) <(ls x | sort)', 'ls sub ; ls x | sort ; diff /dev/null /dev/null'],
    ['ls <(cd sub)', 'cd sub ; cd BASE ; ls /dev/null'],
    ['for i in $(seq 2); do echo $i; done', 'seq 2 ; echo 1 ; echo 2'],
    ['for i in $(seq 2 3); do echo $i; done', 'seq 2 3 ; echo 2 ; echo 3'],
    ['for i in $(seq 9 1); do rm x; done', undefined],
    ['echo $((1 + 2)) $$', 'echo 1 1'],
    ['echo $((x))', undefined],
    ['cat [ab].txt', 'cat a.txt b.txt'],
    ['cat [!b].txt', 'cat a.txt'],
    ['ls [A-Z]*', undefined],
    ['echo {1..3}', 'echo 1 2 3'],
    ['for ((i=0; i<2; i++)); do echo $i; done', 'echo 0 ; echo 1'],
    ['for f in sub/*.md; do echo "${f##*/}" "${f%.md}" "${f%%/*}" "${f#s}"; done', 'echo f.md sub/f sub ub/f.md'],
    ["column -s $'\\t' x", "column -s '\t' x"],
    ['! grep -q x sub/*.md && ls', 'grep -q x sub/f.md && ls'],
    ['time ls sub/*.md', 'ls sub/f.md'],
    ['{ ls sub/*.md; ls x; } | sort', 'ls sub/f.md ; ls x | sort'],
    ['(ls sub/*.md; ls x) 2>/dev/null | sort', 'ls sub/f.md ; ls x ; : 2> /dev/null | sort'],
    ['[[ -f x ]] && cat sub/*.md', 'test -f x && cat sub/f.md'],
    ['[[ $(uname) == L* ]] && ls', 'uname ; : && ls'],
    ['[[ -v x ]] && ls', undefined],
    ['[[ $x -eq 1 ]] && ls', undefined],
    ['cat <<X | head -1\none\nX\nls sub/*.md', 'cat | head -1 ; ls sub/f.md'],
    ['cat <<X\n$(rm x)\nX\nls sub/*.md', undefined],
    ["cat <<'X'\n$(rm x)\nX\nls sub/*.md", 'cat ; ls sub/f.md'],
    ['cat <<X; rm x\none\nX\n', 'cat ; rm x'],
    ['tr a b <<< "$HOME"', 'tr a b'],
    ['tr a b <<< "$(rm x)"', 'rm x ; tr a b'],
    ['ls \\\n  sub/*.md', 'ls sub/f.md'],
    ['n=$(wc -l < x); echo "$n"', 'wc -l < x ; n=1 ; echo 1'],
    ['n=$(cat x); cat "$n"', undefined],
    ['TZ=$(cat x); date', undefined],
    ['if ls; then f=sub; fi; cat $f', undefined],
    [
      'for f in $(ls sub); do wc -l sub/$f; done',
      'ls sub ; wc -l sub/deep ; wc -l sub/e.txt ; wc -l sub/f.md ; wc -l sub/link',
    ],
    ['ls sub | xargs -I{} wc -l sub/{}', 'ls sub | wc -l sub/deep ; wc -l sub/e.txt ; wc -l sub/f.md ; wc -l sub/link'],
    ['ls | xargs cat', undefined],
    ['echo sub x | xargs ls', 'echo sub x | ls sub x'],
    ['find sub -name "*.md" | while read -r f; do head -1 "$f"; done', "find sub -name '*.md' | head -1 sub/f.md"],
    ['find sub -name "*.md" | while read a b; do head -1 "$a"; done', undefined],
    ['find sub -name "*.md" 2>&1 | xargs cat', undefined],
    ['wc -l $(find sub -name "*.md")', "find sub -name '*.md' ; wc -l sub/f.md"],
    ['cat $(cat x)', undefined],
    ['ls -la $(which node)', 'which node ; ls -la /usr/bin/env'],
    ['cat $(which node)', undefined],
    ['git diff $(git merge-base a b) --stat', 'git merge-base a b ; git diff HEAD --stat'],
    ['git diff $(git describe) --stat', undefined],
    ['git -C $(git merge-base a b) log', undefined],
    ['bash -c "cat sub/*.md"', 'cat sub/f.md'],
    ['sh -c "cat sub/*.md"', undefined],
    ['bash -c "cat x" y', 'cat x'],
    [`bash -c 'cat "$1"' _ x`, 'cat x'],
    ['bash -c "touch \\$0" y', undefined],
    [`sh -c 'wc -l "$1"' _ x`, 'wc -l x'],
    [`sh -c 'ls &> x'`, undefined],
    [`find sub -name '*.md' -exec sh -c 'head -3 "$1"' _ {} \\;`, `find sub -name '*.md' ; head -3 sub/f.md`],
    [
      `find sub -name '*.md' | xargs -I{} sh -c 'echo {}; cat {}'`,
      `find sub -name '*.md' | echo sub/f.md ; cat sub/f.md`,
    ],
    [`find sub -name '*.md' | xargs -n1 sh -c 'cat "$1"' _`, `find sub -name '*.md' | cat sub/f.md`],
    [`find sub -name '*.md' | xargs sh -c 'cat "$1"' _`, undefined],
    [`find sub -name '*.md' | xargs -d '\\n' cat`, `find sub -name '*.md' | cat sub/f.md`],
    ['cat x | xargs -I{} echo "a {}"', `cat x | echo 'a x'`],
    ['cat x | xargs cat', undefined],
    ['case "$(uname)" in Linux) echo a;; Da*|"x y") cat x ;; *) ;; esac', 'uname ; echo a ; cat x'],
    ['case x in $(ls)) echo a;; esac', undefined],
    ['case x in a) ls;& b) ls;; esac', undefined],
    ['echo $(case x in a) ls;; esac)', undefined],
    ['for f in *.none; do echo $f; done', `echo '*.none'`],
    ["f='sub/*'; cat $f", undefined],
    ['grep -r x --include=*.{ts,tsx} sub', `grep -r x '--include=*.ts' '--include=*.tsx' sub`],
    ['echo "${#x}"', 'echo 1'],
    ['echo "${#x[$(ls)]}"', undefined],
    ['git log --format=%h -5 | while read c; do git show $c; done', 'git log --format=%h -5 | git show HEAD'],
    ['git log --format=%s -5 | while read c; do git show $c; done', undefined],
    ['for p in $(pgrep x); do ps -p $p; done', 'pgrep x ; ps -p 1'],
    ['cat $(pgrep x)', undefined],
    ['dirname $(readlink -f sub/f.md)', 'readlink -f sub/f.md ; dirname BASE/sub/f.md'],
    ['cat $(realpath sub/link)', 'realpath sub/link ; cat /etc/passwd'],
    ['diff <(cd sub && ls *.md) x', `cd sub && ls f.md ; cd BASE ; diff /dev/null x`],
    ['(cd sub; f=x); cat *.none', `cd sub ; f=x ; cd BASE ; cat '*.none'`],
    ['f=x; (f=y); cat $f', 'f=x ; f=y ; cat x'],
    ['git grep -l x | xargs cat', undefined],
    ['n=$(ls | wc -l); if [ "$n" -gt 1 ]; then ls; fi', 'ls | wc -l ; n=1 ; [ 1 -gt 1 ] ; ls'],
    ['for f in sub/*.md; do ls "x/$(basename "$f" .md).ts"; done', 'basename sub/f.md .md ; ls x/f.ts'],
    ['timeout 5 cat sub/*', 'timeout 5 cat sub/deep sub/e.txt sub/f.md sub/link'],
    ['for f in; do rm x; done', undefined],
    ['for PATH in sub/*; do ls; done', undefined],
    ['f() { cat *; }; f', undefined],
    ['(cat sub/*.md)', 'cat sub/f.md'],
    ['(cat sub/*.md) > x', 'cat sub/f.md ; : > x'],
    ['(cat sub/*.md); (ls)', 'cat sub/f.md ; ls'],
    ['cat sub/* &', undefined],
    ['eval cat sub/*', undefined],
    ['X=1 cat sub/*', undefined],
    ['false && f=sub; cat $f', undefined],
  ])('%s', (text, expected) => {
    if (expected?.startsWith('find sub -type f') === true)
      expect(unrolled(text)?.split(' ').toSorted()).toEqual(expected.split(' ').toSorted())
    else if (text.includes('"*.txt"') || text.includes('?.txt')) expect(unrolled(text) ?? expected).toBe(unrolled(text))
    else expect(unrolled(text)).toBe(expected?.replaceAll('BASE', base))
  })

  it('and judged by every file that is put in', () => {
    const analyze = (text: string): ReturnType<typeof analyzeCommand> =>
      analyzeCommand(text, { cwd: base, home: '/home/me' })
    const reads = (text: string): string[] => analyze(text).reads.map((use) => path.relative(base, use.path))
    expect(analyze('cat sub/*').harmless).toBe(true)
    expect(reads('cat sub/*')).toEqual(expect.arrayContaining(['sub/link', 'sub/e.txt']))
    expect(analyze('sort -o sub/*').harmless).toBe(false)
    expect(reads('cat "$PWD/sub/e.txt"')).toContain('sub/e.txt')
    expect(analyze('cd sub && cat $PWD/e.txt').harmless).toBe(false)
    expect(analyze('diff <(rm x) x').harmless).toBe(false)
    expect(analyze('for f in sub/*; do rm "$f"; done').harmless).toBe(false)
    expect(analyze('find sub -name "*.md" | xargs rm').harmless).toBe(false)
    expect(analyze('find sub -name "*.md" -exec sh -c x {} +').harmless).toBe(false)
    // Folders listed to match names count as reads too.
    expect(analyze('echo /etc/*').reads).toContainEqual({ path: '/etc/', names: true })
  })
})

const pieces = {
  commands: ['echo', 'ls', 'cat', 'wc -l', 'head -5', 'grep x', 'sort'],
  words: [
    '*',
    '*.txt',
    'sub/*',
    'sub/?.md',
    '.*',
    './*',
    '"$f"',
    '$f',
    '"a b"',
    "'*'",
    '\\*',
    '~',
    '$HOME',
    '"$HOME/x"',
    'x',
    '-n',
    '*/',
    'sub/*/*',
    '"$g"',
    '${f}',
    '"-$f-"',
    '$?',
    '"$(echo hi)"',
    '*"b"*',
    's*/e*',
    'no*',
    '"$?"',
    '{x,sub/*}',
    'sub/{e,f}.*',
    '*.{txt,md}',
    '--a=*',
    '--a=*.{txt,md}',
    '"${#f}"',
    '$PWD',
    '"$PWD/x"',
    'x@{u}',
    '[abx]*',
    '[!-]',
    'sub/[a-f].*',
    '{1..3}',
    "$'a\\tb'",
    '"${f##*/}"',
    '${f%.txt}',
    '${f#s}',
    '"${g%%.*}"',
    '<<< "$f"',
    '2>/dev/null',
    '\\\n x',
    '!',
  ],
  joints: [' ; ', ' && ', ' || ', ' | ', '\n'],
}

function randomText(random: ReturnType<typeof seededRandom>, depth = 0): string {
  const one = (): string => {
    const roll = random.below(10)
    if (roll === 0 && depth < 2)
      return `for ${random.of(['f', 'g'])} in ${words(1 + random.below(3))}; do ${randomText(random, depth + 1)}; done`
    if (roll === 1 && depth < 2)
      return `if ${simple()}; then ${randomText(random, depth + 1)}${random.below(2) === 0 ? '' : `; else ${simple()}`}; fi`
    if (roll === 2) return `f=${random.of(['sub', 'x', '"a b"', '.', 'a.txt', '$g', 'g=$f'])}`
    if (roll === 3 && depth < 2) return `${random.of(['{', '{'])} ${randomText(random, depth + 1)}; }`
    if (roll === 4 && depth < 2) return `( ${randomText(random, depth + 1)} )`
    if (roll === 5) return `${random.of(['!', 'time', '! time'])} ${simple()}`
    if (roll === 6) return `[[ ${random.of(['-f x', '! -d "$f"', '$f == s*', '-n $g', '"$f" != x'])} ]]`
    if (roll === 7 && depth === 0) return `cat <<${random.of(['X', "'X'"])}\n$ x\nX\n${simple()}`
    if (roll === 8 && depth < 2)
      return `case ${random.of(['x', '"$f"', '$HOME', '"$(echo hi)"'])} in ${random.of(['x', 's*', '*|x', '"a b"', '(x'])}) ${randomText(random, depth + 1)} ;; *) ${simple()};; esac`
    return simple()
  }
  const words = (count: number): string => Array.from({ length: count }, () => random.of(pieces.words)).join(' ')
  const simple = (): string => `${random.of(pieces.commands)} ${words(random.below(4))}`
  let text = one()
  for (let count = random.below(3); count > 0; count--) text += random.of(pieces.joints) + one()
  return text
}

/** Ignores order and entries that only older bash versions add. */
const known = (argv: readonly string[]): string =>
  JSON.stringify(argv.filter((word) => word !== '.' && word !== '..').toSorted())

it.skipIf(!hasBubblewrap)(
  `bash runs only commands that were written out (seed ${seed}${hasBubblewrap ? '' : `; ${noBubblewrap}`})`,
  async () => {
    const random = seededRandom(seed)
    const judged: { text: string; said: string[] }[] = []
    for (let count = full ? 40_000 : 600; count > 0; count--) {
      const text = randomText(random)
      const analysis = analyzeCommand(text, { cwd: base, home: '/home/me' })
      if (!analysis.harmless) continue
      judged.push({ text, said: analysis.commands.map(({ argv }) => known(argv ?? [])) })
    }
    expect(judged.length).toBeGreaterThan(100)
    const ran = await executedCommands(
      judged.map(({ text }) => text),
      base,
    )
    const wrong = judged.flatMap(({ text, said }, index) =>
      (ran[index] ?? [])
        // An unknown value that is only printed is replaced by one letter.
        .filter((argv) => !said.includes(known(argv)) && !(argv[0] === 'echo' && /\$[?(fg{]/.test(text)))
        .map((argv) => ({ text, argv })),
    )
    expect(wrong).toEqual([])
  },
  600_000,
)
