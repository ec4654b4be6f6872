import {
  type ArgumentCheck,
  type FileReading,
  type OptionSpec,
  parseOptions,
  type Program,
  program,
} from './program.ts'

/** Read-only tests and actions, with the number of arguments they take. Excludes those that run, delete or write. */
export const expressions: ReadonlyMap<string, number> = new Map([
  ...'( ) ! , -a -and -o -or -not -true -false -empty -executable -readable -writable -nouser -nogroup -depth -d -xdev -mount -daystart -noleaf -ignore_readdir_race -noignore_readdir_race -nowarn -warn -print -print0 -ls -prune -quit'
    .split(' ')
    .map((name): [string, number] => [name, 0]),
  ...'-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -regextype -type -xtype -maxdepth -mindepth -size -perm -user -group -uid -gid -mtime -atime -ctime -mmin -amin -cmin -links -inum -fstype -used -printf'
    .split(' ')
    .map((name): [string, number] => [name, 1]),
])
const compared = /^-(newer([aBcm][aBcmt])?|anewer|cnewer|samefile)$/

function lookFind(words: readonly string[]): ArgumentCheck {
  const reads: FileReading[] = []
  let at = 0
  while (/^-[HPL]$/.test(words[at] ?? '')) at++
  const links = words.slice(0, at).includes('-L') || undefined
  for (; at < words.length && !/^[-(!,)]/.test(words[at] as string); at++)
    reads.push({ path: words[at] as string, tree: true, names: true, links })
  if (reads.length === 0) reads.push({ path: '.', tree: true, names: true, links })
  const others: FileReading[] = []
  for (; at < words.length; at++) {
    const word = words[at] as string
    if (compared.test(word)) {
      at++
      const path = words[at]
      if (path === undefined) return { why: `"find ${word}" is missing its file.` }
      if (word === '-samefile') others.push({ path })
      else if (!/^-newer[aBcm]t$/.test(word)) others.push({ path, names: true })
      continue
    }
    const takes = expressions.get(word)
    if (takes === undefined) return { why: `"find ${word}" may do more than read.` }
    at += takes
    if (at >= words.length) return { why: `"find ${word}" is missing an argument.` }
  }
  return { reads: [...reads, ...others] }
}

const names = { names: true } as const

export const filePrograms: Record<string, Program> = {
  ls: program(
    '-1aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ --all --almost-all --author --escape --classify[=] --directory --file-type --full-time --group-directories-first --no-group --human-readable --si --inode --kibibytes --dereference --numeric-uid-gid --literal --quote-name --reverse --recursive --size --context --zero --color[=] --sort= --time= --time-style= --format= --indicator-style= --ignore= --hide= --ignore-backups --block-size= --quoting-style= --show-control-chars --hide-control-chars',
    'files',
    { ...names, recursive: ['-R', '--recursive'], linksIn: ['-L', '--dereference'] },
  ),
  tree: { look: lookTree, isTold: (words) => !/^-[ILP]$/.test(words.at(-1) ?? '') },
  find: { look: lookFind, isTold: (words) => words.every((word) => /^[\w.]/.test(word)) },
  fd: fd(),
  fdfind: fd(),
  stat: program('-Lft -c= --format= --printf= --dereference --terse --file-system', 'files', names),
  // Its other options unpack, compile, or change file times.
  file: program('-bhikLnNr0 --brief --mime --mime-type --mime-encoding --no-dereference --keep-going --raw', 'files'),
  du: program(
    '-abchHklmsSx0 -d=# -t= --all --apparent-size --bytes --total --human-readable --si --summarize --separate-dirs --max-depth=# --exclude= --one-file-system --threshold= --block-size= --time[=] --time-style= --null',
    'trees',
    names,
  ),
  df: program(
    '-ahHiklPT -B= -t= -x= --all --human-readable --si --inodes --local --portability --print-type --total --type= --exclude-type= --output[=] --block-size=',
    'files',
    names,
  ),
  realpath: program(
    '-eLmPqsz --canonicalize-existing --canonicalize-missing --logical --physical --quiet --no-symlinks --strip --zero --relative-to= --relative-base=',
    'files',
    names,
  ),
  readlink: program(
    '-efmnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero',
    'files',
    names,
  ),
  grep: grep(),
  egrep: { ...grep(), runs: ['grep'] },
  fgrep: { ...grep(), runs: ['grep'] },
  rg: rg(),
}

function grep(): Program {
  return program(
    '-NUM -abcEFGhHiIlLnoPqrRsTUvwxyzZ -A=# -B=# -C=# -m=# -d= -D= -e= -f=< --after-context=# --before-context=# --context=# --max-count=# --regexp= --file=< --include= --exclude= --exclude-dir= --exclude-from=< --color[=] --colour[=] --recursive --dereference-recursive --line-number --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count --files-with-matches --files-without-match --only-matching --quiet --silent --no-messages --with-filename --no-filename --fixed-strings --extended-regexp --basic-regexp --perl-regexp --null --null-data --text --binary --binary-files= --label= --line-buffered --byte-offset --initial-tab --directories= --devices=',
    'pattern',
    {
      recursive: ['-r', '--recursive', '-R', '--dereference-recursive', '-d', '--directories'],
      linksIn: ['-R', '--dereference-recursive'],
      patternIn: ['-e', '-f', '--regexp', '--file'],
    },
  )
}

/** Its other options run programs (`-x`, `-X`, and `-l`, which runs ls) or follow links. */
function fd(): Program {
  return program(
    '-HIuagFips01q -t= -e= -d=# -E= -S= -c= -j=# --hidden --no-ignore --no-ignore-vcs --unrestricted --glob --fixed-strings --ignore-case --case-sensitive --full-path --absolute-path --print0 --type= --extension= --max-depth=# --min-depth=# --exact-depth=# --exclude= --size= --color= --changed-within= --changed-before= --max-results=# --quiet --show-errors --prune --strip-cwd-prefix',
    'pattern-trees',
    { ...names, style: 'clap' },
  )
}

/** Ripgrep types with their file names. Unlisted types cover many kinds of files. */
const types: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ts: '*.ts *.tsx *.cts *.mts',
    js: '*.js *.jsx *.cjs *.mjs *.vue',
    py: '*.py *.pyi',
    rust: '*.rs',
    go: '*.go',
    c: '*.c *.h *.H *.cats *.in',
    cpp: '*.cpp *.cc *.cxx *.C *.h *.hh *.hpp *.hxx *.H *.inl *.in',
    java: '*.java *.jsp *.jspx *.properties',
    json: '*.json *.sarif composer.lock',
    md: '*.md *.mdx *.markdown *.mdown *.mdwn *.mkd *.mkdn',
    markdown: '*.md *.mdx *.markdown *.mdown *.mdwn *.mkd *.mkdn',
    html: '*.htm *.html *.ejs',
    css: '*.css *.scss',
    yaml: '*.yaml *.yml',
    toml: '*.toml Cargo.lock',
    txt: '*.txt',
    sql: '*.sql *.psql',
  }),
)

/**
 * Its other options run programs, follow links out of the folder, or read lists. It skips hidden files unless an
 * option, a pattern or a type includes them.
 */
function rg(): Program {
  const patternIn = ['-e', '-f', '--regexp', '--file', '--files', '--type-list']
  const all = program(
    '-acFhHiIlnNopPqsSUuvwxV0. -A=# -B=# -C=# -e= -E= -f=< -g= -j=# -m=# -M=# -r= -t= -T= --after-context=# --before-context=# --context=# --max-depth=# --maxdepth=# --max-count=# --max-columns=# --max-filesize= --regexp= --encoding= --file=< --glob= --iglob= --type= --type-not= --threads=# --replace= --sort= --sortr= --color= --colors= --context-separator= --field-match-separator= --path-separator= --engine= --hidden --no-hidden --no-ignore --no-ignore-vcs --no-ignore-dot --no-ignore-parent --no-ignore-global --no-ignore-exclude --unrestricted --files --files-with-matches --files-without-match --type-list --json --stats --no-heading --heading --column --no-column --line-number --no-line-number --ignore-case --smart-case --case-sensitive --fixed-strings --word-regexp --line-regexp --count --count-matches --include-zero --only-matching --invert-match --multiline --multiline-dotall --pcre2 --trim --vimgrep --no-messages --no-filename --with-filename --passthru --pretty --null --null-data --text --binary --byte-offset --crlf --one-file-system --quiet --no-config --glob-case-insensitive --max-columns-preview --no-mmap --mmap --line-buffered --block-buffered --no-require-git --unicode --no-unicode',
    'pattern-trees',
    { patternIn, style: 'clap' },
  )
  return {
    ...all,
    look(words, name) {
      const found = all.look(words, name)
      if (found.why !== undefined) return found
      const { options: given, values } = parseOptions(words, all.options as OptionSpec, { style: 'clap' })
      const shown = values.flatMap(({ option, value }): (string | undefined)[] => {
        if (/^(-t|--type)$/.test(option)) return types.get(value)?.split(' ') ?? [undefined]
        if (!/^(-g|--i?glob)$/.test(option) || value.startsWith('!')) return []
        const [name = ''] = value.split('/').slice(-1)
        return option === '--iglob' || !/^(?=.)[\w.*-]*(\{[\w.*,-]*\})?$/.test(name) ? [undefined] : [name]
      })
      const patterns = shown.filter((pattern) => pattern !== undefined)
      const isClear = patterns.length === shown.length && !given.has('--glob-case-insensitive')
      const showsHidden = ['-u', '-.', '--hidden', '--unrestricted'].some((option) => given.has(option))
      const marks = {
        ...(isClear && !showsHidden ? { hidden: patterns } : {}),
        ...(isClear && patterns.length > 0 ? { only: patterns } : {}),
        ...(given.has('--files') ? names : {}),
      }
      return { reads: found.reads.map((read) => (read.tree === true ? { ...read, ...marks } : read)) }
    },
  }
}

const treeFlags =
  /^(-[aAcCdDfFghinNpqQrsStuUvxJX]+|--(dirsfirst|filesfirst|noreport|prune|gitignore|du|si|inodes|device|matchdirs|ignore-case|metafirst)|--(charset|filelimit|sort|timefmt)=[^]*)$/

/** Has its own parser: an option's value is the next word, even after a cluster (`-Io pattern file`). */
function lookTree(words: readonly string[]): ArgumentCheck {
  const folders: string[] = []
  let options = true
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string
    if (!options || !word.startsWith('-') || word === '-') {
      folders.push(word)
    } else if (word === '--') {
      options = false
    } else if (/^-[ILP]$/.test(word) && words[at + 1] !== undefined) {
      at++
    } else if (!treeFlags.test(word)) {
      return { why: `"tree ${word}" may do more than read.` }
    }
  }
  return { reads: (folders.length === 0 ? ['.'] : folders).map((path) => ({ path, tree: true, names: true })) }
}
