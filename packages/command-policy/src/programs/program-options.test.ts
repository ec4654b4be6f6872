import { afterAll, describe, expect, it } from 'vitest'
import { compileGlob } from '../../../core/src/search/glob-pattern.ts'
import { analyzeCommand } from '../analyze-command.ts'
import type { CommandAnalysis } from '../command-analysis.ts'
import { isPlainRepository, trackedFiles } from '../git-repository.ts'
import { canTrace, openProgramTrace, type TracedRun } from '../testing/trace-programs.ts'
import { expressions } from './file-programs.ts'
import { verbs } from './git.ts'
import type { OptionSpec } from './program.ts'
import { programs, versionWords } from './programs.ts'

/** A full run tests every option of every program, other runs a sample. */
const full = process.env['TROUPE_TEST_FULL'] === '1'
const sampled = full ? 1 : 61

const watch = openProgramTrace()
afterAll(() => watch.dispose())

/** Arguments a program needs to do anything, and operands for programs that take no files. */
const base: Record<string, string[]> = {
  cut: ['-f1'],
  tr: ['a', 'b'],
  seq: ['2'],
  basename: ['a/b'],
  dirname: ['a/b'],
  which: ['ls'],
  expr: ['1', '+', '1'],
  factor: ['12'],
  numfmt: ['--to=iec', '4096'],
  printenv: ['HOME'],
  id: ['root'],
  groups: ['root'],
  pgrep: ['nothing-of-that-name'],
  comm: ['a.txt', 'b.txt'],
  join: ['a.txt', 'b.txt'],
  diff: ['a.txt', 'b.txt'],
  cmp: ['a.txt', 'b.txt'],
  gzip: ['-dc', 'a.gz'],
  gunzip: ['-c', 'a.gz'],
  zcat: ['a.gz'],
  xz: ['-dc', 'a.gz'],
  unxz: ['-c', 'a.gz'],
  xzcat: ['a.gz'],
  bzip2: ['-dc', 'a.gz'],
  bunzip2: ['-c', 'a.gz'],
  bzcat: ['a.gz'],
  nm: ['a.bin'],
  size: ['a.bin'],
  readelf: ['a.bin'],
  objdump: ['a.bin'],
  netstat: ['-n'],
  iconv: ['-f', 'utf-8', 'a.txt'],
  pstree: [],
}

const more: Record<string, string[]> = {
  grep: '-rn one .|-R one src|-r --include=*.ts one .|-r --include=*.ts --exclude=x one .|-r one src --include a*|-rl one'.split(
    '|',
  ),
  rg: 'one|-g *.ts one|-g .h* one src|-t ts one|-t md one .|-g !x one|one -g a* .|--files|--files -g *.txt|-l one .|-t ts -g x one'.split(
    '|',
  ),
  diff: 'src other|-r src other|-N src empty|-q src other|a.txt src'.split('|'),
  fd: 'one|-e ts|-H one src|. src'.split('|'),
  ls: '.|-R|-la src|-d src'.split('|'),
  gzip: '-l a.gz|-t a.gz|-cd a.gz|--list a.gz|-cf a.txt'.split('|'),
}

const findValues: Record<string, string> = {
  '-name': '*.txt',
  '-iname': 'A*',
  '-type': 'f',
  '-xtype': 'f',
  '-regex': '.*',
  '-regextype': 'sed',
  '-perm': '644',
  '-user': 'root',
  '-group': 'root',
  '-fstype': 'tmpfs',
  '-printf': '%p%f%h%s%m%u%g%t%T@%l%y%Y%i%n%d%P%H%k%b%D%M%U%G%c%C@%a%A@%S%F%Z%%\\n',
}

const own: Record<string, string[]> = {
  xxd: '-a|-b|-C|-d|-e|-E|-i|-p|-ps|-u|-c 4|-c4|-g 2|-g1|-l 3|-l3|-len 3|-s 1|-s1|-s +1|-s -1|-o 2|-ps -c 4|-p -l 2'
    .split('|')
    .map((words) => `${words} a.txt`),
  tree: '|-a|-d|-f|-L 1|-L 1 src|-I x|-P x src|-I x -P *.ts|-C|-J|-X|-aL 1|-p -u -g -s -h -D|--du|--prune|--gitignore|--noreport|--dirsfirst|--filesfirst|--si|--inodes|--device|--matchdirs -P s*|--ignore-case -P A*|--metafirst|--charset=utf-8|--filelimit=5|--sort=size|--timefmt=%F -D|-F -q -Q -N|-A|-S|-n|-r -t -c -v -U|-i|-x|-- src'.split(
    '|',
  ),
  jq: '. c.json|-r .a c.json|-c . c.json|-C . c.json|-M . c.json|-S . c.json|-a . c.json|-j . c.json|-e . c.json|-n 1|-R . a.txt|-s . c.json|-rc . c.json|--tab . c.json|--indent 2 . c.json|--arg a .env $a c.json|--argjson a 1 $a c.json|--slurpfile a c.json $a c.json|--rawfile a a.txt $a c.json|--args .a c.json|--jsonargs . c.json|-n env|-n $ENV|-n $__prog_args|-n input_filename|--stream . c.json|--seq . c.json|--unbuffered . c.json|-n --args $ARGS .env|. c.json --indent 2|--raw-output --compact-output . c.json'.split(
    '|',
  ),
  sed: '-n 1p a.txt|-n 1,2p a.txt|-n $= a.txt|s/one/x/ a.txt|s/one/x/gp a.txt|-e 1d -e 2d a.txt|-E s/(o)n/\\1/ a.txt|-n /one/,/two/p a.txt|y/abc/xyz/ a.txt|-s -n 1p a.txt b.txt|-z s/a/b/ a.txt|--expression=1d a.txt|--quiet 1p a.txt|-n 1!p a.txt|2q a.txt|-u p a.txt|--posix p a.txt|--regexp-extended -n /o+/p a.txt|-n {1p;2p} a.txt|-n -- 1p a.txt|N;P;D a.txt|G;h;x a.txt|l a.txt|:a;N;$!ba;s/x/y/ a.txt'.split(
    '|',
  ),
  find: [
    '.',
    'src',
    '-H . -name x',
    '-P .',
    '. ! -name x',
    '. ( -name x -o -name y )',
    '. -name x , -name y',
    '. -newer a.txt',
    '. -anewer a.txt',
    '. -cnewer a.txt',
    '. -newermt 2020-01-01',
    '. -newermm a.txt',
    '. -samefile a.txt',
    ...[...expressions].map(([name, takes]) => `. ${name}${takes === 0 ? '' : ` ${findValues[name] ?? '1'}`}`),
  ],
  date: [
    '',
    '+%F',
    '-u',
    '-R',
    '-I',
    '-Iseconds',
    '-d now',
    '-dnow',
    '--date=now',
    '--utc',
    '--rfc-3339=date',
    '-r a.txt',
    '-d .env',
  ],
  ps: [
    '',
    'aux',
    'ax',
    '-ef',
    '-e',
    '-A',
    '-eo pid,cmd',
    '-e -o pid=',
    '-p 1',
    '-u root',
    '-C init',
    '--ppid 1',
    'auxf',
    'axww',
    'aux --sort=-%mem',
    '-ef --forest',
    '-o pid,args -p 1',
    '-eF',
    '-el',
  ],
  sleep: ['0', '0.1'],
  expr: ['1 + 1', 'length x', '.env : .env'],
  env: [''],
  tar: 'tf a.tar|tvf a.tar|-tf a.tar|-tzvf a.tar|-tvzf a.tar a.txt|--list -f a.tar|--list --file a.tar|-xOf a.tar a.txt|-xzOf a.tar|xOf a.tar src'.split(
    '|',
  ),
  unzip:
    '-l a.zip|-v a.zip|-lv a.zip|-t a.zip|-p a.zip|-c a.zip|-qc a.zip x|-Z a.zip|-Z1 a.zip|-qql a.zip|-l a|-z a.zip'.split(
      '|',
    ),
  zipinfo: 'a.zip|-1 a.zip|-s a.zip|-m a.zip|-l a.zip|-h a.zip|-t a.zip|-T a.zip|-z a.zip'.split('|'),
  openssl:
    'version|version -a|x509 -in a.crt -noout -text|x509 -noout -dates -subject -issuer -in a.crt|x509 -in a.crt -noout -fingerprint -sha256 -serial|x509 -in a.crt -noout -ext subjectAltName|x509 -in a.crt -noout -checkend 0|x509 -in a.crt -noout -pubkey -modulus -purpose -email -hash|x509 -in a.crt -inform PEM -noout -nameopt RFC2253 -certopt no_header -text|dgst -sha256 a.txt b.txt|list -digest-algorithms|ciphers -v|req -in a.crt -noout -text|crl -in a.crt -noout -text|asn1parse -in a.crt'.split(
      '|',
    ),
  getconf: ['-a', '_NPROCESSORS_ONLN', 'PAGE_SIZE'],
  who: ['', '-a', '-b', '-q'],
  w: ['', '-h', '-s'],
  last: ['', '-3', '-x', '-F'],
  whereis: ['ls', '-b ls', '-m ls'],
  getent: ['passwd root', 'group root', 'services ssh', 'protocols tcp'],
  vmstat: ['', '-s', '-d', '-a', '-w'],
  swapon: ['--show', '-s'],
  sysctl: ['-a', 'kernel.ostype', '-n kernel.ostype'],
  ip: [
    'addr',
    'a',
    '-br a',
    'route',
    'link show',
    '-4 addr show',
    'addr show dev lo',
    'link show lo',
    '-s link',
    'neigh',
    '-j addr',
  ],
  lsof: ['-nP -i :3000', '-nPi', '-n -P -iTCP -sTCP:LISTEN', '-p 1', '-nt -i:8080'],
  dpkg: ['-l', '-l bash', '-L bash', '-s bash', '-S /bin/ls', '--list', '--get-selections', '--print-architecture'],
  'dpkg-query': ['-l', '-W bash', '-W -f=${Package} bash', '-L bash'],
  tput: ['cols', 'lines', 'bold', 'setaf 1'],
  stty: ['-a', 'size'],
  tee: ['/dev/null', ''],
  bash: ['-n a.txt'],
  sh: ['-n a.txt'],
  node: [
    '-p process.version',
    '-p process.versions.v8',
    '-p 1+1',
    '-e console.log(process.platform)',
    "-p require('./c.json').a",
    '-p process.cwd()',
  ],
}
for (const name of ['awk', 'gawk', 'mawk'])
  own[name] =
    '{print} a.txt|{print $1} a.txt|-F: {print $1} a.txt|-F : {print $2} a.txt|-v x=1 {print x} a.txt|-vx=.env {print x} a.txt|NR==1 a.txt|/one/ a.txt|END{print NR} a.txt b.txt|BEGIN{print 1}|{s+=$2}END{print s} a.txt|{print x} x=.env a.txt|-- {print} a.txt|{printf "%s\\n",$1} a.txt|length>3 a.txt'.split(
      '|',
    )

function* commandsOf(name: string): Generator<string[]> {
  const program = programs.get(name)
  yield [name, '--version']
  yield [name, '--help']
  for (const line of [...(own[name] ?? []), ...(more[name] ?? [])])
    yield [name, ...line.split(' ').filter((word) => word !== '')]
  if (program?.options === undefined) return
  const operands = operandsOf(name, program.operands ?? 'text')
  yield [name, ...operands]
  yield* withOptions([name], program.options, operands)
}

function* gitCommands(): Generator<string[]> {
  for (const [name, { options, verbs: words }] of verbs) {
    const before = ['git', name, ...(words === undefined ? [] : [words[0] as string])]
    const operands = gitOperands[name] ?? []
    yield [...before, ...operands]
    yield ['git', '--no-pager', name, ...before.slice(2), ...operands]
    yield ['git', '-C', 'src', name, ...before.slice(2), ...operands]
    yield* withOptions(before, options, operands)
  }
}
const gitOperands: Record<string, string[]> = {
  blame: ['a.txt'],
  'cat-file': ['HEAD'],
  'rev-parse': ['HEAD'],
  'rev-list': ['HEAD'],
  'ls-tree': ['HEAD'],
  'merge-base': ['HEAD', 'HEAD~1'],
  'name-rev': ['HEAD'],
  'check-ignore': ['a.txt'],
  grep: ['one'],
  diff: ['HEAD~1'],
  shortlog: ['HEAD'],
  config: ['user.name'],
}

function* withOptions(
  before: readonly string[],
  { kinds }: OptionSpec,
  operands: readonly string[],
): Generator<string[]> {
  const flags = [...kinds].filter(([option, kind]) => kind === 'flag' && /^-\w$/.test(option)).map(([option]) => option)
  for (const [option, kind] of kinds) {
    const values = option === '-NUM' || kind === 'flag' ? [] : valuesOf(kind)
    const isLong = option.startsWith('--')
    if (option === '-NUM') yield [...before, '-2', ...operands]
    else if (kind === 'flag') {
      const next = flags[(flags.indexOf(option) + 1) % flags.length]
      yield [...before, option, ...operands]
      yield [...before, ...operands, option]
      if (!isLong && next !== undefined) yield [...before, `${option}${next.slice(1)}`, ...operands]
    } else {
      if (kind === 'optional') yield [...before, option, ...operands]
      for (const value of values) {
        yield [...before, isLong ? `${option}=${value}` : `${option}${value}`, ...operands]
        if (kind === 'optional') continue
        yield [...before, option, value, ...operands]
        yield [...before, ...operands, option, value]
        if (!isLong && flags[0] !== undefined) yield [...before, `${flags[0]}${option.slice(1)}`, value, ...operands]
      }
    }
  }
}

function valuesOf(kind: string): string[] {
  if (kind === 'number') return ['1']
  return kind === 'read' ? ['a.txt'] : ['1', 'x', '.env', 'auto']
}

function operandsOf(name: string, kind: string): string[] {
  const needed = base[name]
  if (needed !== undefined && kind !== 'files') return needed
  if (needed?.[0]?.startsWith('-') === true) return [...needed, 'a.txt']
  if (needed !== undefined) return needed
  if (kind === 'files') return ['a.txt', 'b.txt']
  if (kind === 'pattern') return ['one', 'a.txt']
  if (kind === 'pattern-trees') return ['one', 'src']
  return kind === 'one' ? ['a.txt'] : kind === 'trees' ? ['src'] : []
}

const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

function analyze(argv: readonly string[]): CommandAnalysis {
  return analyzeCommand(argv.map(quote).join(' '), {
    cwd: watch.workspace,
    home: watch.home,
    isPlainRepository,
    trackedFiles,
  })
}

const declared: Record<string, RegExp> = {
  egrep: /\/(sh|dash|grep)"/,
  fgrep: /\/(sh|dash|grep)"/,
  which: /bin\/(sh|dash)"/,
  gunzip: /\/(bash|sh|dash|gzip)"/,
  zcat: /\/(bash|sh|dash|gzip)"/,
  tar: /\/(sh|gzip)"/,
  dpkg: /bin\/dpkg-query"/,
  shasum: /bin\/perl"/,
  npm: /bin\/node"/,
  tsc: /bin\/node"|typescript.*\/tsc"/,
  pip: /bin\/python3"/,
  pip3: /bin\/python3"/,
  cargo: /toolchains\/.*\/cargo"/,
  rustc: /toolchains\/.*\/rustc"/,
  git: /git-core\/git"|bin\/git"/,
}

function faults(argv: readonly string[], { reads }: CommandAnalysis, watched: TracedRun): string[] {
  const [name = ''] = argv
  const wrote = watched.wrote.filter((call) => !(name === 'git' && call.includes('/.git/index.lock')))
  const ran = watched.ran.filter((call) => declared[name]?.test(call) !== true)
  const unsaid = watched.opened.filter(
    ({ path: file, folder }) =>
      !isInternal(name, file) &&
      !reads.some(({ path, spread, names, tracked, hidden, only }) => {
        const below = file === path || file.startsWith(`${path}/`)
        if (folder) return below
        if (names === true || isPassed(file.slice(path.length), hidden, only)) return false
        return tracked === true ? below && !/\/(\.env|id_rsa)$/.test(file) : spread === 'tree' ? below : file === path
      }),
  )
  return [...wrote, ...ran, ...unsaid.map(({ path }) => `opened ${path}`)]
}

function isPassed(below: string, hidden?: readonly string[], only?: readonly string[]): boolean {
  const name = below.slice(below.lastIndexOf('/') + 1)
  const isMet = (patterns: readonly string[]): boolean => patterns.some((pattern) => compileGlob(pattern).matches(name))
  if (hidden !== undefined && below.includes('/.') && !isMet(hidden)) return true
  return below !== '' && only !== undefined && !isMet(only)
}

/** Git opens tracked files to detect changes. */
const folderOrTracked =
  /\/\.git(\/|$|ignore$|attributes$|modules$)|\/home\/\.(gitconfig|config)|\/([abc]\.\w+|src\/.*)$|\/(src|empty|other|keys)$/

/** True for files a program reads for itself: its own folder, git's own files, ignore files. */
function isInternal(name: string, file: string): boolean {
  if (file === watch.workspace || file === watch.home) return true
  if (name === 'git') return folderOrTracked.test(file)
  // df opens a file to find its disk.
  if (name === 'df') return true
  return (
    /^(rg|fd|fdfind|tree)$/.test(name) &&
    /\/\.(git|git\/.*|gitignore|ignore|rgignore|fdignore)$|\/home\/\.config/.test(file)
  )
}

const builtins = [...programs].filter(([, { builtin }]) => builtin === true).map(([name]) => name)
const all = [...programs.keys()].filter((name) => !builtins.includes(name) && name !== 'git')
const versions = [...versionWords].flatMap(([name, words]) => words.map((word) => [name, word]))
const commands = [...all.flatMap((name) => [...commandsOf(name)]), ...gitCommands(), ...versions].filter(
  (argv) => !(argv[0] === 'tail' && argv.some((word) => /^(-\w*[fF]|--follow|--retry)/.test(word))),
)

describe('read-only programs', () => {
  it(`change nothing and open only reported files, with every option${canTrace ? '' : ' (without strace)'}`, async () => {
    const tried = commands.filter((_, index) => index % sampled === 0)
    const found: { command: string; faults: string[] }[] = []
    const missing = new Set<string>()
    const unknown: string[] = []
    let ran = 0
    const left = [...tried]
    const work = async (): Promise<void> => {
      for (let argv = left.shift(); argv !== undefined; argv = left.shift()) {
        const analysis = analyze(argv)
        if (!analysis.harmless) continue
        const watched = await watch.run(argv)
        if (watched === undefined) {
          missing.add(argv[0] as string)
          continue
        }
        ran++
        if (
          /(un(recognized|known)|invalid|illegal) (option|argument)|Found argument|not an option/i.test(watched.output)
        )
          unknown.push(argv.join(' '))
        const wrong = faults(argv, analysis, watched)
        if (wrong.length > 0) found.push({ command: argv.join(' '), faults: wrong })
      }
    }
    await Promise.all([work(), work()])
    if (full) console.log(JSON.stringify({ tried: tried.length, ran, missing: [...missing], unknown }, null, 1))
    expect(found).toEqual([])
    expect(watch.changes()).toEqual([])
    expect(ran).toBeGreaterThan(tried.length / 2)
    // A full run requires every program in the tables: untestable programs may not be listed.
    if (full) expect([...missing]).toEqual([])
  }, 1_800_000)

  it('are all tried', () => {
    const tried = new Set(commands.map(([name]) => name))
    expect(all.filter((name) => !tried.has(name))).toEqual([])
  })
})
