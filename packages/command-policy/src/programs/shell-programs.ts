import { isSafeSetting } from '../environment-variables.ts'
import { type ArgumentCheck, type Program, program } from './program.ts'

const nothing: ArgumentCheck = { reads: [] }

export const shellPrograms: Record<string, Program> = {
  echo: { builtin: true, look: () => nothing, isTold: () => true },
  true: { builtin: true, look: () => nothing },
  false: { builtin: true, look: () => nothing },
  ':': { builtin: true, look: () => nothing },
  printf: { builtin: true, look: lookPrintf, isTold: (words) => words.length > 0 && !words[0]?.startsWith('-') },
  pwd: program('-LP', 'none', { builtin: true }),
  cd: { builtin: true, look: lookCd },
  test: { builtin: true, look: (words) => lookTest(words) },
  '[': {
    builtin: true,
    look: (words) =>
      words.at(-1) === ']' ? lookTest(words.slice(0, -1)) : { why: 'The test expression is not closed.' },
  },
  type: program('-aftpP', 'text', { builtin: true }),
  // With a command it is a wrapper. Here it only locates the command.
  command: program('-vV', 'text', {
    builtin: true,
    check: ({ options: given }) => (given.has('-v') || given.has('-V') ? undefined : '"command" runs a program.'),
  }),
  set: {
    builtin: true,
    look: (words) =>
      words.length > 0 && words.every((word) => /^([-+][euo]+|pipefail|errexit|nounset)$/.test(word))
        ? nothing
        : { why: '"set" changes the shell.' },
  },
  exit: {
    builtin: true,
    look: (words) =>
      words.length <= 1 && /^\d*$/.test(words[0] ?? '') ? nothing : { why: 'It ends in an unusual way.' },
  },
  export: {
    builtin: true,
    look: (words) =>
      words.length > 0 && words.every((word) => isSafeSetting(...splitSetting(word)))
        ? nothing
        : { why: '"export" may change later commands.' },
  },
  hash: {
    builtin: true,
    look: (words) =>
      words.length === 1 && words[0] === '-r' ? nothing : { why: '"hash" changes where programs are found.' },
  },
  umask: program('-S', 'none', { builtin: true }),
  jobs: program('-lpnrs', 'none', { builtin: true }),
  history: {
    builtin: true,
    look: (words) =>
      words.length === 0 || (words.length === 1 && /^\d+$/.test(words[0] ?? ''))
        ? nothing
        : { why: '"history" may write a file.' },
  },
  ulimit: {
    builtin: true,
    look: (words) =>
      words.length === 1 && /^-[HS]?[acdefilmnpqrstuvx]$/.test(words[0] ?? '')
        ? nothing
        : { why: '"ulimit" may set a limit.' },
  },
  bash: { look: lookSyntax, partial: true },
  sh: { look: lookSyntax, partial: true },
  node: { look: lookNode, partial: true, isFile: true, everywhere: true },
  tee: {
    partial: true,
    look: (words) =>
      words.every((word) => /^\/dev\/(null|stdout|stderr)$/.test(word)) ? nothing : { why: '"tee" writes a file.' },
  },
  which: program('-a', 'text'),
  basename: program('-az -s= --multiple --suffix= --zero', 'text'),
  dirname: program('-z --zero', 'text'),
  seq: program('-NUM -w -s= --equal-width --separator=', 'text'),
  expr: { look: () => nothing },
  factor: program('', 'text'),
  numfmt: program(
    '-z -d= --debug --delimiter= --field= --format= --from= --from-unit= --grouping --header[=] --invalid= --padding= --round= --suffix= --to= --to-unit= --zero-terminated',
    'text',
  ),
  pgrep: program('-aflnovwx -P= -u= -g= -t= --full --list-name --list-full --newest --oldest --exact --count', 'text'),
  sleep: {
    look: (words) =>
      words.length === 1 && /^[0-5]?\d(\.\d+)?s?$/.test(words[0] ?? '')
        ? nothing
        : { why: 'It sleeps for a long time.' },
  },
  date: { look: lookDate },
  whoami: program('', 'none'),
  logname: program('', 'none'),
  id: program('-agGnruz --group --groups --name --real --user --zero', 'text'),
  groups: program('', 'text'),
  uname: program(
    '-aimnoprsv --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor --hardware-platform --operating-system',
    'none',
  ),
  arch: program('', 'none'),
  nproc: program('--all', 'none'),
  lscpu: program('-aeJ --all --extended --json', 'none'),
  lsblk: program('-abdfilmnpst -o= --all --bytes --fs --json --list --paths --output=', 'none'),
  locale: program('-a --all-locales', 'none'),
  // Its other options close connections and write or read files.
  ss: program('-46aeHilmnOpstux --all --listening --numeric --processes --tcp --udp --summary', 'none'),
  hostname: program('-sI --short', 'none'),
  uptime: program('-ps --pretty --since', 'none'),
  free: program('-bghkmtw --human --mega --giga --kilo --total --wide', 'none'),
  tty: program('-s', 'none'),
  printenv: program('-0 --null', 'text'),
  env: { look: (words) => (words.length === 0 ? nothing : { why: '"env" runs a program.' }) },
  ps: { look: lookPs },
}

function splitSetting(word: string): [name: string, value: string | null] {
  const at = word.indexOf('=')
  return at === -1 ? [word, null] : [word.slice(0, at), word.slice(at + 1)]
}

/** `%n` and `-v` store into a variable, and a variable name may contain a command. */
function lookPrintf(words: readonly string[]): ArgumentCheck {
  const [format = ''] = words[0] === '--' ? words.slice(1) : words
  if (format.startsWith('-')) return { why: '"printf" with options may do more than print.' }
  const directives = format.replaceAll('%%', '').match(/%[^%]*/g) ?? []
  if (directives.some((directive) => !/^%[-+ #0]*\d{0,4}(\.\d{1,4})?[diouxXeEfFgGsbcq]/.test(directive)))
    return { why: '"printf" with this format may do more than print.' }
  return nothing
}

/** `bash -n file` reads the file without running it. */
function lookSyntax(words: readonly string[]): ArgumentCheck {
  const [option, file = '-', ...others] = words
  return option === '-n' && /^[\w./]/.test(file) && others.length === 0
    ? { reads: [{ path: file }] }
    : { why: 'It runs commands.' }
}

const nodeValue = /^(?:process\.(?:version|versions(?:\.\w+)?|platform|arch|release\.name|cwd\(\))|[\d\s+*()./%-]+)$/
const nodeData = String.raw`require\((['"])(\.\/[\w./-]+\.json)\1\)(?:\.[A-Za-z_]\w*|\[(['"])[\w@./-]+\3\])*(?: (?:\|\||\?\?) (?:\{\}|\[\]))?`
const nodePrinted = String.raw`(?:\.length|\.join\((['"])[\w ,;:\\-]*\4\))?`
const nodeReads = [
  'E',
  String.raw`JSON\.stringify\(E(?:, ?null(?:, ?\d)?)?\)`,
  String.raw`Object\.(?:keys|values|entries)\(E\)`,
].map((form) => new RegExp(`^${form.replace('E', () => nodeData)}${nodePrinted}$`))

/** `node -p process.version`, `node -p "require('./package.json').version"`. */
function lookNode(words: readonly string[]): ArgumentCheck {
  const [option = '', code = '', ...others] = words
  const [, said] = /^console\.log\((.*)\);?$/s.exec(code) ?? []
  const value = /^(-p|--print)$/.test(option) ? code : /^(-e|--eval)$/.test(option) ? (said ?? '') : ''
  if (others.length === 0 && nodeValue.test(value)) return nothing
  const found = others.length === 0 ? nodeReads.map((form) => form.exec(value)).find((one) => one !== null) : undefined
  const file = found?.[2]
  return file === undefined ? { why: '"node" may do anything.' } : { reads: [{ path: file }] }
}

function lookCd(words: readonly string[]): ArgumentCheck {
  const [folder, more] = words[0] === '--' ? words.slice(1) : words
  // Back to the folder before, which is not followed here.
  if (folder === '-' && words.length === 1) return nothing
  if (folder === undefined || more !== undefined || folder.startsWith('-') || folder === '')
    return { why: 'The target of "cd" is unknown.' }
  return { reads: [{ path: folder, names: true }] }
}

const testOfFile = /^-[abcdefghkprsuwxGLNOS]$/
const testOfText = /^-[nzt]$/
const comparison = /^(=|==|!=|<|>|-eq|-ne|-lt|-le|-gt|-ge|-nt|-ot|-ef)$/

/**
 * Accepts one test, two joined by `-a` or `-o`, or one negated. Excludes `-v` and `-R`, which evaluate their argument.
 */
function lookTest(words: readonly string[]): ArgumentCheck {
  if (words.includes('-v') || words.includes('-R')) return { why: 'The test expression does arithmetic on a word.' }
  const joined = words.findIndex((word, index) => (word === '-a' || word === '-o') && (index === 2 || index === 3))
  if (joined !== -1 && joined < words.length - 1) {
    const left = lookTest(words.slice(0, joined))
    const right = lookTest(words.slice(joined + 1))
    if (left.why !== undefined) return left
    return right.why === undefined ? { reads: [...left.reads, ...right.reads] } : right
  }
  const [first = '', second = '', third = ''] = words
  if (words.length === 1 && !first.startsWith('-')) return nothing
  if (words.length === 2 && testOfFile.test(first)) return { reads: [{ path: second, names: true }] }
  if (words.length === 2 && testOfText.test(first)) return nothing
  if (words.length === 3 && comparison.test(second)) {
    if (!/^-(nt|ot|ef)$/.test(second)) return nothing
    return { reads: [first, third].map((path) => ({ path, names: true })) }
  }
  if (first === '!' && words.length > 1 && words.length < 5) return lookTest(words.slice(1))
  return { why: 'The test expression is not a simple one.' }
}

function lookDate(words: readonly string[]): ArgumentCheck {
  const reads: { path: string; names: true }[] = []
  // A time zone in a date may be the path of any file.
  if (words.some((word) => /TZ\s*=/.test(word))) return { why: '"date" may read a file as a time zone.' }
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string
    if (
      /^(\+.*|-u|--utc|--universal|-R|--rfc-email|-I|-I(date|hours|minutes|seconds|ns)|--iso-8601(=\w+)?|--rfc-3339=\w+|--date=.*|-d.+)$/s.test(
        word,
      )
    )
      continue
    at++
    const value = words[at]
    if (value === undefined || !(word === '-d' || word === '--date' || word === '-r'))
      return { why: '"date" may set the clock.' }
    if (word === '-r') reads.push({ path: value, names: true })
  }
  return { reads }
}

/** Rejects `e`, which shows the environment of processes and may reveal keys. */
function lookPs(words: readonly string[]): ArgumentCheck {
  const plain = /^(a?u?x?f?w{0,2}|-[AaefFlHw]+|--forest|--no-headers|--sort=[-+,%a-z_]+)$/
  const columns = /^[a-z%,=:_0-9]+$/
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string
    if (plain.test(word)) continue
    at++
    const value = words[at] ?? ''
    if (/^(-p|--pid|-u|-C|--ppid)$/.test(word) && /^[\w,.-]+$/.test(value)) continue
    if (/^(o|-[AaefFlHw]*o)$/.test(word) && columns.test(value) && !/environ/.test(value)) continue
    return { why: '"ps" may show private data of processes.' }
  }
  return nothing
}
