import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { FileUse, ShellContext } from './command-analysis.ts'
import { linksBelow } from './find-files.ts'
import { gitCommand } from './programs/git.ts'
import { type ArgumentCheck, type FileReading, type OptionSpec, optionSpec, parseOptions } from './programs/program.ts'
import { asksVersion, programs } from './programs/programs.ts'
import { fieldsOf, hole, isWhole, mark, star } from './read-word.ts'
import { secretIn } from './sensitive-paths.ts'
import type { CommandFinding, PossibleFolders } from './shell-state.ts'

interface FileUses {
  reads: FileUse[]
  writes: FileUse[]
  opaque?: string
  late?: true
}

/** Operands of a writing program: all are written, or the last is written and the others are read. */
type Writer = { options: OptionSpec; operands: 'written' | 'last' | 'none' }
const writer = (options: string, operands: Writer['operands'] = 'written'): Writer => ({
  options: optionSpec(options),
  operands,
})

const writers: ReadonlyMap<string, Writer> = new Map(
  Object.entries({
    rm: writer('-dfiIrRvx --force --recursive --verbose --interactive[=] --dir --one-file-system --no-preserve-root'),
    rmdir: writer('-pv --parents --verbose --ignore-fail-on-non-empty'),
    unlink: writer(''),
    shred: writer('-fuvxz -n= -s= --remove[=] --force --iterations= --size= --zero --random-source=<'),
    mv: writer(
      '-bfinTuv -t=> -S= --target-directory=> --force --interactive --no-clobber --verbose --backup[=]',
      'last',
    ),
    cp: writer(
      '-abdfHilLnpPrRsTuvxX -t=> -S= --target-directory=> --archive --recursive --force --parents --preserve[=] --no-clobber --verbose',
      'last',
    ),
    ln: writer('-bfFhiLnPrsTv -t=> -S= --symbolic --force --target-directory=>', 'last'),
    install: writer('-bcCDdpsTv -g= -m= -o= -S= -t=> --mode= --owner= --group= --target-directory=>', 'last'),
    touch: writer('-achm -d= -r=< -t= --date= --reference=< --time= --no-create'),
    mkdir: writer('-pv -m= --parents --mode= --verbose'),
    mkfifo: writer('-m= --mode='),
    mknod: writer('-m= --mode='),
    truncate: writer('-co -r=< -s= --no-create --size= --reference=<'),
    tee: writer('-aip --append --ignore-interrupts'),
    chmod: writer('-cfRv --recursive --verbose --reference=<'),
    chown: writer('-cfhHLPRv --recursive --verbose --from= --reference=<'),
    chgrp: writer('-cfhHLPRv --recursive --reference=<'),
    chattr: writer('-RVf -v= -p='),
    setfacl: writer('-bdkRm= -x= --modify= --remove= --recursive'),
    sponge: writer('-a'),
    gzip: writer('-cdfklLnNqrtv123456789 -S= --keep --force --decompress --stdout'),
    gunzip: writer('-cfklnNqrtv -S= --keep --force --stdout'),
    bzip2: writer('-cdfkqtvz123456789'),
    xz: writer('-cdfklqtvz0123456789e -T='),
    zstd: writer('-cdfkqtvr -o=> -T='),
    patch: writer('-bEflNRstuv -p=# -d= -i=< -o=> --dry-run --input=< --output=>'),
    dos2unix: writer('-kqo'),
    split: writer('-dexu -a= -b= -C= -l= -n= -t=', 'last'),
    csplit: writer('-kqsz -b= -f= -n=', 'none'),
    rsync: writer(
      '-avzrlptgoDnPhuqxHAXSiWcCbKLO -e= --delete --exclude= --include= --progress --dry-run --rsh=',
      'last',
    ),
    scp: writer('-346BCpqrTv -c= -F= -i= -J= -l= -o= -P= -S=', 'last'),
    curl: writer(
      '-fsSLkvIiOJGN0# -o=> --output=> -d= --data= -H= --header= -X= --request= -u= --user= -A= -e= -b= -c=> --cookie-jar=> -T=< --upload-file=< -F= --form= -m= --max-time= -w= --write-out= -K=< --config=< --cacert= --cert= --key= -x= --proxy= -D=> --dump-header=>',
      'none',
    ),
    wget: writer(
      '-cqnvNrSx -O=> --output-document=> -o=> --output-file=> -P=> --directory-prefix=> -i=< -T= -t= -U= --header= --post-file=< --tries=',
      'none',
    ),
    openssl: writer('-out=> -in=<', 'none'),
    zip: writer('-0123456789rjmquxg -i= -x='),
    ed: writer('-Es -p='),
    ex: writer('-es -c='),
  }),
)
/** Options of otherwise read-only programs that name an output file. */
const outputs: ReadonlyMap<string, OptionSpec> = new Map(
  Object.entries({
    sort: optionSpec('-o=> --output=>'),
    tree: optionSpec('-o=>'),
    find: optionSpec('-fprint=> -fprint0=> -fls=> -fprintf=>'),
    git: optionSpec('--output=>'),
    tar: optionSpec('-f=> --file=>'),
  }),
)

export function isKnownProgram(name: string | null): boolean {
  return name !== null && programs.has(name) && programs.get(name)?.partial !== true
}

/**
 * Returns the files a command names, as far as they are known, for path rules. `look`: the result of the program's own
 * rules.
 */
export function fileUsesOf(found: CommandFinding, place: ShellContext, look: ArgumentCheck | undefined): FileUses {
  const uses: FileUses = { reads: [], writes: [] }
  const { name, redirections } = found
  const words = fieldsOf(found.pieces.slice(1))
  let { cwds } = found
  for (const { operator, target } of redirections) {
    if (isDuplicate(operator, target.value)) continue
    for (const field of target.fields) {
      // A file opened for reading and writing need not exist yet.
      if (operator !== '<') add(uses.writes, { path: field, redirected: true })
      if (operator === '<' || operator === '<>') add(uses.reads, { path: field, redirected: true })
    }
  }
  if (name === null || found.remote) return uses
  if (name === 'git') cwds = gitFolders(cwds, words)
  const writes = writers.get(name)
  // Some options make a program that writes only print.
  if (writes !== undefined && (look === undefined || look.why !== undefined)) ofWriter(writes, words)
  else if (programs.has(name) && !asksVersion(name, words)) ofLooker(name, words)
  return uses

  function ofWriter({ options, operands }: Writer, given: readonly string[]): void {
    const read = parseOptions(given, options)
    const meant = operands === 'none' ? {} : { meant: true as const }
    for (const path of read.writes) add(uses.writes, { path, ...meant })
    for (const path of read.reads) add(uses.reads, { path })
    if (found.adds) isLate(`"${name ?? ''}" uses files that are only known at run time.`)
    if (operands === 'none') return
    // The first operand of chmod and chown is the mode or owner.
    const files = /^(chmod|chown|chgrp|chattr)$/.test(name ?? '') ? read.operands.slice(1) : read.operands
    const tree = read.options.has('-r') || read.options.has('-R') || read.options.has('--recursive')
    for (const [index, path] of files.entries()) {
      const reads = operands === 'last' && read.writes.length === 0 && index < files.length - 1
      const spread = tree ? { tree: true as const } : {}
      if (reads) add(uses.reads, { path, ...spread })
      // A moved file is removed from its old path.
      if (!reads || name === 'mv') add(uses.writes, { path, ...spread, ...meant })
    }
  }

  function ofLooker(program: string, given: readonly string[]): void {
    const rules = programs.get(program)
    // Even if a word is only a guess (`~`), the program's rules are the best interpretation.
    const guessed = look === undefined && given.every(isWhole) ? rules?.look(given, program) : look
    if (guessed !== undefined && guessed.why === undefined) {
      for (const reading of guessed.reads) add(uses.reads, reading)
      if (found.adds) isLate(`"${program}" uses files that are only known at run time.`)
      return
    }
    if (rules?.partial === true) return
    const written = outputs.get(program)
    if (written !== undefined)
      for (const path of parseOptions(given, written, { short: true }).writes) add(uses.writes, { path })
    if (/^g?sed$/.test(program) && given.some((word) => /^(-[nErsuz]*i|--in-place)/.test(word)))
      for (const path of given.slice(1)) if (!path.startsWith('-')) add(uses.writes, { path })
    if (rules?.options !== undefined && rules.readings !== undefined) {
      const read = parseOptions(given, rules.options)
      for (const reading of rules.readings(read)) add(uses.reads, reading)
      if (read.unknown !== undefined) ofUnknown(program, given)
      if (found.adds) isLate(`"${program}" uses files that are only known at run time.`)
      return
    }
    if (rules?.builtin === true) return
    if (/^[gmn]?awk$/.test(program))
      for (const [, operator, path = ''] of given.join('\n').matchAll(/([<>])\s*"([^"\n]+)"/g))
        add(operator === '>' ? uses.writes : uses.reads, { path })
    ofUnknown(program, given)
    if (found.adds) uses.late = true
  }

  /** The program has its own language or unknown options: every word and every option value may be a file. */
  function ofUnknown(program: string, given: readonly string[]): void {
    for (const word of given) {
      const path = word.startsWith('-') ? (/^--[^=]+=(.+)$/s.exec(word)?.[1] ?? '') : word
      if (path !== '') add(uses.reads, { path })
    }
    uses.opaque ??= `What "${program}" reads cannot be determined from its arguments.`
  }

  function addTracked(): void {
    for (const cwd of cwds ?? []) {
      if (place.trackedFiles !== undefined && place.trackedFiles(cwd) === undefined)
        uses.opaque ??= 'The files git tracks here cannot be determined.'
      uses.reads.push(...trackedUses(cwd, place))
    }
    if (cwds === null) isLate('Its working directory is only known at run time.')
  }

  function isLate(why: string): void {
    uses.opaque ??= why
    uses.late = true
  }

  function add(list: FileUse[], given: FileReading & Pick<FileUse, 'redirected' | 'meant'>): void {
    const { path, tree, names, hidden, only, links, tracked, own, redirected, meant } = given
    if (tracked === true) return addTracked()
    if (path.includes(hole)) {
      isLate('A file it uses is only known at run time.')
      return
    }
    const pattern = !isWhole(path)
    const spelled = pattern ? spellPattern(path) : path
    const spread = tree === true ? ('tree' as const) : pattern ? ('glob' as const) : undefined
    const rest = { spread, names, only, own, redirected, meant }
    if (spelled.startsWith('/')) return use(spelled)
    if (spelled === '~' || spelled.startsWith('~/')) use(place.home + spelled.slice(1))
    // The `cd` may have failed.
    if (cwds === null) isLate('Its working directory is only known at run time.')
    for (const cwd of cwds ?? [place.cwd]) use(resolveFrom(cwd, spelled, cwd === place.cwd))

    function use(file: string): void {
      list.push({ path: file, ...rest, hidden: hidden && !showsHidden(file) ? hidden : undefined })
      if (links !== true) return
      const found = linksBelow(file)
      if (found === undefined) uses.opaque ??= 'It follows links, and there are too many files to check them.'
      for (const link of found ?? []) list.push({ path: link, ...rest })
    }
  }
}

/** Returns the files that git tracks around a folder, with the secrets among them. */
export function trackedUses(cwd: string, place: ShellContext): FileUse[] {
  const files = place.trackedFiles?.(cwd)
  if (files === null) return []
  const top = files?.top ?? cwd
  const secrets = (files?.secrets ?? []).map((secret): FileUse => ({ path: `${top}/${secret}` }))
  return [{ path: top, spread: 'tree', tracked: true }, ...secrets]
}

/** Returns the folders git works in. `-C` changes them. */
export function gitFolders(cwds: PossibleFolders, words: readonly string[]): PossibleFolders {
  const { folders } = gitCommand(words)
  if (folders.length === 0 || cwds === null) return cwds
  return cwds.map((cwd) => folders.reduce((at, folder) => (folder.startsWith('/') ? folder : `${at}/${folder}`), cwd))
}

/** True for `2>&1` and the like, which open no file. */
export function isDuplicate(operator: string, target: string | null): boolean {
  return (operator === '>&' || operator === '<&') && target !== null && /^(\d+-?|-)$/.test(target)
}

function spellPattern(path: string): string {
  return path
    .replaceAll(/[*?[\]\\]/g, '\\$&')
    .replaceAll(star, '*')
    .replaceAll(mark, '?')
}

/**
 * Resolves a path against a folder. The file system must resolve `..`, except the simple case of going up from the
 * shell's real start folder.
 */
function resolveFrom(cwd: string, path: string, real: boolean): string {
  let base = cwd === '/' ? '' : cwd
  let rest = path
  while (rest.startsWith('./')) rest = rest.slice(2)
  while (real && (rest === '..' || rest.startsWith('../'))) {
    base = base.slice(0, Math.max(0, base.lastIndexOf('/')))
    rest = rest.slice(3)
  }
  if (rest === '' || rest === '.') return base === '' ? '/' : base
  return `${base}/${rest}`
}

/**
 * True if ignore files in the folder or above make ripgrep show a hidden secret file, through a line starting with `!`.
 */
function showsHidden(folder: string): boolean {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    for (const name of ['.gitignore', '.ignore', '.rgignore', '.git/info/exclude'])
      if (shownBy(path.join(at, name)).some(mayBeSecret)) return true
    if (at === path.dirname(at)) return false
  }
}

function shownBy(file: string): string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1).trim())
  } catch {
    return []
  }
}

function mayBeSecret(pattern: string): boolean {
  const name = pattern.split('/').findLast((part) => part !== '') ?? ''
  return /[*?[\\]/.test(name) ? /^[.*?[\\]/.test(name) : secretIn(name) !== undefined
}
