import {
  type ArgumentCheck,
  optionSpec,
  type OptionSpec,
  type ParsedOptions,
  parseOptions,
  type Program,
} from './program.ts'

interface Verb {
  options: OptionSpec
  most: number
  /** The first operand must be one of these (`stash list`). */
  verbs?: readonly string[]
  /** Operands are allowed only with one of these options. */
  needs?: readonly string[]
}

const verb = (options: string, most = Infinity, extra: Pick<Verb, 'verbs' | 'needs'> = {}): Verb => ({
  options: optionSpec(options),
  most,
  ...extra,
})

const show =
  '-NUM -abpuRswzMC -S= -n=# -U=# -G= -L= --patch --no-patch --stat[=] --shortstat --numstat --summary --name-only --name-status --raw --oneline --abbrev-commit --abbrev[=] --no-abbrev-commit --decorate[=] --no-decorate --graph --all --branches[=] --tags[=] --remotes[=] --merges --no-merges --first-parent --reverse --follow --full-index --unified=# --word-diff[=] --color[=] --no-color --color-words[=] --ignore-all-space --ignore-space-change --ignore-space-at-eol --ignore-blank-lines --find-renames[=] --find-copies[=] --no-renames --diff-filter= --pretty[=] --format= --date= --max-count=# --skip=# --since= --after= --until= --before= --author= --committer= --grep= --no-ext-diff --no-textconv --minimal --patience --histogram --diff-algorithm= --exit-code --quiet --check --relative[=] --dirstat[=] --compact-summary --source --left-right --cherry-pick --topo-order --date-order --author-date-order --no-prefix --text --function-context --inter-hunk-context=# --extended-regexp --fixed-strings --regexp-ignore-case -i -E -F --cc -c -m --full-history --simplify-by-decoration --simplify-merges --ancestry-path --boundary --no-walk --parents --children --show-pulls --perl-regexp --invert-grep --all-match --cherry --cherry-mark --left-only --right-only --merge-base --show-linear-break --pickaxe-all --pickaxe-regex --ignore-submodules --ignore-cr-at-eol --indent-heuristic --color-moved[=] --stat-width=# --stat-count=# --no-notes --mailmap --use-mailmap --reflog --min-parents=# --max-parents=# --no-color-moved --src-prefix= --dst-prefix= --line-prefix= --ita-invisible-in-index --rename-empty --no-rename-empty --break-rewrites[=] --patch-with-stat --patch-with-raw --cumulative --encoding= --expand-tabs --no-expand-tabs --clear-decorations --decorate-refs= --decorate-refs-exclude= --exclude= --glob= --walk-reflogs -g -r -t --dd --remove-empty --no-standard-notes --no-max-parents --no-min-parents --no-mailmap --no-relative --no-indent-heuristic --irreversible-delete -D --output-indicator-new= --output-indicator-old= --output-indicator-context= --ws-error-highlight= --word-diff-regex='

export const verbs: ReadonlyMap<string, Verb> = new Map(
  Object.entries({
    status: verb(
      '-sbvz -u[=] --short --branch --show-stash --porcelain[=] --long --untracked-files[=] --ignored[=] --column[=] --no-column --ahead-behind --no-ahead-behind --renames --no-renames --verbose',
    ),
    log: verb(show),
    show: verb(show),
    diff: verb(`${show} --cached --staged --no-index`),
    whatchanged: verb(show),
    'diff-tree': verb(`${show} -rt --no-commit-id --root`),
    'diff-index': verb(`${show} --cached`),
    'diff-files': verb(`${show} -0123`),
    'range-diff': verb('-s --stat --no-color --creation-factor=# --no-dual-color --left-only --right-only'),
    'check-attr': verb('-az --all --cached'),
    var: verb('', 1),
    'symbolic-ref': verb('-q --quiet --short --recurse', 1),
    'show-branch': verb(
      '-ar --all --remotes --current --topo-order --date-order --sparse --more=# --list --no-name --sha1-name --no-color --topics',
    ),
    cherry: verb('-v --abbrev[=]'),
    shortlog: verb(
      '-cnse -w --numbered --summary --email --all --no-merges --merges --committer --group= --since= --after= --until= --before= --author= --format= --branches[=] --tags[=]',
    ),
    blame: verb(
      '-bceflnpstw -L= -M -C --date= --abbrev=# --porcelain --line-porcelain --show-email --show-name --show-number --root --color-lines --color-by-age',
    ),
    branch: verb(
      '-arvq --all --remotes --verbose --list --show-current --color[=] --no-color --column[=] --sort= --contains= --no-contains= --merged[=] --no-merged[=] --points-at= --format= -i --ignore-case',
      0,
      { needs: ['--list', '--contains', '--no-contains', '--merged', '--no-merged', '--points-at'] },
    ),
    tag: verb(
      '-l -n --list --sort= --contains= --no-contains= --merged[=] --no-merged[=] --points-at= --format= --column[=] -i --ignore-case',
      0,
      { needs: ['--list', '-l'] },
    ),
    remote: verb('-v --verbose --all --push', 2, { verbs: ['get-url'] }),
    stash: verb(
      '-NUM --oneline --stat --shortstat --numstat --name-only --name-status --date= --format= --pretty[=] -p -u --patch --include-untracked --only-untracked -n=#',
      2,
      { verbs: ['list', 'show'] },
    ),
    worktree: verb('-vz --verbose --porcelain', 1, { verbs: ['list'] }),
    reflog: verb(
      '-NUM -n=# --date= --oneline --format= --pretty[=] --all --no-decorate --decorate[=] --stat --since= --until= --grep= --author= --no-abbrev-commit --abbrev-commit',
      2,
      { verbs: ['show'] },
    ),
    'rev-parse': verb(
      '-q --verify --short[=] --abbrev-ref[=] --symbolic --symbolic-full-name --show-toplevel --show-prefix --show-cdup --git-dir --git-common-dir --absolute-git-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --quiet --show-superproject-working-tree --git-path= --shared-index-path --show-object-format --all --branches[=] --tags[=]',
    ),
    'rev-list': verb(
      '-NUM -n=# --objects --count --all --max-count=# --skip=# --since= --until= --author= --no-merges --merges --first-parent --reverse --left-right --branches[=] --tags[=] --oneline --abbrev-commit --topo-order --date-order',
    ),
    'ls-files': verb(
      '-cdmoiszktv --cached --deleted --modified --others --ignored --stage --unmerged --exclude-standard --full-name --error-unmatch --abbrev[=] --deduplicate -x= --exclude= --eol',
    ),
    'ls-tree': verb(
      '-rtdlz --name-only --name-status --full-name --full-tree --long --object-only --abbrev[=] --format=',
    ),
    'cat-file': verb('-tsep'),
    'merge-base': verb('-a --all --octopus --independent --is-ancestor --fork-point'),
    'name-rev': verb('--name-only --tags --always --refs= --all'),
    describe: verb(
      '--tags --all --always --long --dirty[=] --abbrev=# --match= --exclude= --contains --exact-match --first-parent --candidates=#',
    ),
    'show-ref': verb('-dqs --head --heads --tags --verify --hash[=] --abbrev[=] --dereference --quiet'),
    'for-each-ref': verb(
      '--count=# --sort= --format= --contains= --no-contains= --merged[=] --no-merged[=] --points-at= --ignore-case',
    ),
    'count-objects': verb('-vH --verbose --human-readable', 0),
    'check-ignore': verb('-vnq --verbose --non-matching --quiet --no-index'),
    grep: verb(
      '-NUM -acEFGhHiIlLnopPqvwWz0 -A=# -B=# -C=# -e= -m=# --and --or --not --cached --line-number --column --ignore-case --word-regexp --invert-match --fixed-strings --extended-regexp --perl-regexp --basic-regexp --files-with-matches --name-only --files-without-match --count --only-matching --color[=] --no-color --break --heading --show-function --function-context --max-depth=# --text --quiet --full-name --null --context=# --after-context=# --before-context=# --max-count=#',
    ),
    config: verb('-l --list --get --get-all --get-regexp --show-origin --show-scope --local -z --name-only --null', 1),
  }),
)

/** Without a subcommand, only the version query is allowed. */
export const git: Program = {
  look: lookGit,
  isTold(words) {
    const [name = '', ...given] = gitCommand(words).rest
    const rules = verbs.get(name)
    return rules !== undefined && parseOptions(given, rules.options).unknown === undefined
  },
}

/** Options allowed before the subcommand. None of them sets or runs anything. */
const globals = /^(--no-pager|-P|--no-optional-locks|--literal-pathspecs|--icase-pathspecs)$/

/** True for `name=value` that only changes how git prints. The value of a pager would be a command. */
export function isPlainGitSetting(text: string): boolean {
  return /^(color\.[a-z.]+=\w+|core\.quotepath=\w+|core\.pager=(cat)?|pager\.[a-z]+=(false|off|no|0)|advice\.[a-z]+=\w+|log\.(date|decorate)=[\w:-]+|diff\.(renames|renamelimit|context|noprefix|mnemonicprefix)=\w+|column\.[a-z]+=\w+)$/i.test(
    text,
  )
}

export function gitCommand(words: readonly string[]): { folders: string[]; paged: boolean; rest: readonly string[] } {
  const folders: string[] = []
  let paged = true
  let at = 0
  for (; at < words.length; at++) {
    const word = words[at] as string
    if (word === '-C' && words[at + 1] !== undefined) folders.push(words[++at] as string)
    else if (word === '-c' && isPlainGitSetting(words[at + 1] ?? '')) at++
    else if (!globals.test(word)) break
    else if (word === '--no-pager' || word === '-P') paged = false
  }
  return { folders, paged, rest: words.slice(at) }
}

/** Valid only in a repository whose settings run nothing, because git reads the repository's config. */
function lookGit(words: readonly string[]): ArgumentCheck {
  if (words.length === 1 && words[0] === '--version') return { reads: [] }
  const { folders, rest } = gitCommand(words)
  if (folders.length > 1 || folders.some((folder) => folder === '' || folder.split('/').includes('..')))
    return { why: 'The target of "git -C" is unclear.' }
  const [name = '', ...given] = rest
  const rules = verbs.get(name)
  if (rules === undefined) return { why: `"git ${name}" may change something.` }
  // An option after a setting name is the value to set.
  const read = parseOptions(given, rules.options, { style: name === 'config' ? 'stop' : 'gnu' })
  if (read.unknown !== undefined) return { why: `"git ${name} ${read.unknown}" may do more than read.` }
  // In some versions and subcommands this option takes no value, so the word would be another option.
  const odd = read.values.find(({ option, value, apart }) => apart && option !== '-e' && value.startsWith('-'))
  if (odd !== undefined) return { why: `"git ${name} ${odd.option} ${odd.value}" is ambiguous.` }
  // After an option, git might not treat the word as a subcommand.
  if (rules.verbs !== undefined && read.operands.length > 0 && !rules.verbs.includes(given[0] as string))
    return { why: `"git ${name} ${read.operands[0] ?? ''}" may change something.` }
  if (name === 'stash' && read.operands.length === 0) return { why: '"git stash" changes files.' }
  const asked = rules.needs?.some((option) => read.options.has(option)) === true
  if (!asked && read.operands.length > rules.most) return { why: `"git ${name}" with arguments may change something.` }
  if (read.values.some(({ option, value }) => /^--(format|pretty|sort)$/.test(option) && checksSignature.test(value)))
    return { why: `"git ${name}" checks signatures with another program.` }
  if (name === 'config' && read.operands.some((key) => !key.includes('.')))
    return { why: '"git config" may change something.' }
  if (name === 'config' && !showsOneSetting(read)) return { reads: [{ path: '~/.gitconfig', own: true }] }
  const shown = showsContent(name, read)
  const listsOnly = !shown && !/^(blame|cat-file|merge-base)$/.test(name)
  const named = [
    ...read.operands,
    ...read.values.filter(({ option, apart }) => apart && option !== '-L').map(({ value }) => value),
    // A range of lines. For `log` the file follows it.
    ...read.values.flatMap(({ option, value }) =>
      option === '-L' && name !== 'blame' ? value.split(':').slice(1) : [],
    ),
  ]
  return {
    reads: [
      ...folders.map((path) => ({ path, names: true as const })),
      ...(shown ? [{ path: '.', tracked: true as const }] : []),
      ...named.flatMap(pathsIn).map((path) => ({ path, tree: shown || undefined, names: listsOnly || undefined })),
    ],
  }
}

/** A format or sort key that makes git start gpg. */
const checksSignature = /%[-+ ]*G|signature/

/** Settings that hold no tokens, unlike some user settings. */
const plainSetting =
  /^(user\.(name|email)|core\.\w+|init\.defaultbranch|(pull|push|fetch|merge|rebase)\.\w+|(remote|branch)\..+)$/i

function showsOneSetting({ options: given, operands: [key] }: ParsedOptions): boolean {
  if (key === undefined || given.has('--local')) return given.has('--local')
  // A pattern that only such settings match.
  if (given.has('--get-regexp')) return /^\^(remote|branch)\\?\.[\w.\\*]*$/.test(key)
  return !given.has('-l') && !given.has('--list') && !given.has('--get-regexp') && plainSetting.test(key)
}

const patches = [
  '-p',
  '-u',
  '-U',
  '-L',
  '-W',
  '-G',
  '-S',
  '--patch',
  '--unified',
  '--word-diff',
  '--color-words',
  '--function-context',
  '--text',
  '--check',
  '--inter-hunk-context',
  '-c',
  '-m',
  '--cc',
  '--dd',
  '--patch-with-stat',
  '--patch-with-raw',
  '--word-diff-regex',
]
const summaries = [
  '-s',
  '--no-patch',
  '--stat',
  '--shortstat',
  '--numstat',
  '--summary',
  '--name-only',
  '--name-status',
  '--raw',
  '--dirstat',
  '--compact-summary',
  '--quiet',
  '-q',
]

function showsContent(name: string, { options: given, operands }: ParsedOptions): boolean {
  if (name === 'grep' || name === 'range-diff' || given.has('--no-index')) return true
  if (name === 'cat-file') return given.has('-p') || operands.length > 1
  if (name === 'status') return given.has('-v') || given.has('--verbose')
  if (!/^(log|show|diff|stash|reflog|whatchanged|diff-tree|diff-index|diff-files|range-diff)$/.test(name)) return false
  if (patches.some((option) => given.has(option))) return true
  // A file of a revision, or an object that may be a file, is always shown.
  if (name === 'show' && operands.some((word) => /:|^[0-9a-f]{4,}/i.test(word))) return true
  return (name === 'show' || name === 'diff') && !summaries.some((option) => given.has(option))
}

/**
 * A word may be a path, a revision, a path in a revision (`HEAD:.env`, `:0:.env`), or a pathspec (`:(top).env`, `:!x`).
 * Treats the text after any colon as a path.
 */
function pathsIn(word: string): string[] {
  const paths = [word]
  for (let colon = word.indexOf(':'); colon !== -1; colon = word.indexOf(':', colon + 1)) {
    const rest = word.slice(colon + 1)
    paths.push(rest, rest.replace(/^\([^)]*\)|^[!^/]+/, ''))
  }
  return [...new Set(paths)].filter((path) => path !== '')
}
