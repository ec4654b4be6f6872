import { optionSpec, readOptions, type OptionSpec } from '../options.ts'
import type { Look, Program, Reading } from './program.ts'

/** A command of git that only looks: its options, and how many words it may have besides. */
interface Verb {
  options: OptionSpec
  most: number
  /** The first word must be one of these (`stash list`). */
  verbs?: readonly string[]
  /** One of these must be given for words to be allowed at all. */
  needs?: readonly string[]
}

const verb = (options: string, most = Infinity, extra: Pick<Verb, 'verbs' | 'needs'> = {}): Verb => ({
  options: optionSpec(options),
  most,
  ...extra,
})

const show =
  '-NUM -abpuRswzMC -S= -n=# -U=# -G= -L= --patch --no-patch --stat[=] --shortstat --numstat --summary --name-only --name-status --raw --oneline --abbrev-commit --abbrev[=] --no-abbrev-commit --decorate[=] --no-decorate --graph --all --branches[=] --tags[=] --remotes[=] --merges --no-merges --first-parent --reverse --follow --full-index --unified=# --word-diff[=] --color[=] --no-color --color-words[=] --ignore-all-space --ignore-space-change --ignore-space-at-eol --ignore-blank-lines --find-renames[=] --find-copies[=] --no-renames --diff-filter= --pretty[=] --format= --date= --max-count=# --skip=# --since= --after= --until= --before= --author= --committer= --grep= --no-ext-diff --no-textconv --minimal --patience --histogram --diff-algorithm= --exit-code --quiet --check --relative[=] --dirstat[=] --compact-summary --source --left-right --cherry-pick --topo-order --date-order --author-date-order --no-prefix --text --function-context --inter-hunk-context=# --extended-regexp --fixed-strings --regexp-ignore-case -i -E -F --cached --staged --merge-base --no-patch'

const verbs: ReadonlyMap<string, Verb> = new Map(
  Object.entries({
    status: verb(
      '-sbvz -u[=] --short --branch --show-stash --porcelain[=] --long --untracked-files[=] --ignored[=] --column[=] --no-column --ahead-behind --no-ahead-behind --renames --no-renames --verbose',
    ),
    log: verb(show),
    show: verb(show),
    diff: verb(show),
    shortlog: verb('-nse -w --numbered --summary --email --all --no-merges --since= --until= --author='),
    blame: verb(
      '-bcefklnpstw -L= -M -C --date= --abbrev=# --porcelain --line-porcelain --show-email --show-name --show-number --root --color-lines --color-by-age',
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
    remote: verb('-v --verbose', 0),
    stash: verb('--oneline --stat --date= --format= -p -n=#', 2, { verbs: ['list', 'show'] }),
    worktree: verb('-vz --verbose --porcelain', 1, { verbs: ['list'] }),
    reflog: verb('-NUM -n=# --date= --oneline --format= --all --no-decorate', 2, { verbs: ['show'] }),
    'rev-parse': verb(
      '-q --verify --short[=] --abbrev-ref[=] --symbolic --symbolic-full-name --show-toplevel --show-prefix --show-cdup --git-dir --git-common-dir --absolute-git-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --quiet --show-superproject-working-tree --all --branches[=] --tags[=]',
    ),
    'rev-list': verb(
      '-NUM -n=# --count --all --max-count=# --skip=# --since= --until= --author= --no-merges --merges --first-parent --reverse --left-right --branches[=] --tags[=] --oneline --abbrev-commit --topo-order --date-order',
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
    'show-ref': verb('-dqs --head --heads --branches --tags --verify --hash[=] --abbrev[=] --dereference --quiet'),
    'for-each-ref': verb(
      '--count=# --sort= --format= --contains= --no-contains= --merged[=] --no-merged[=] --points-at= --ignore-case',
    ),
    'count-objects': verb('-vH --verbose --human-readable', 0),
    'check-ignore': verb('-vnq --verbose --non-matching --quiet --no-index'),
    grep: verb(
      '-NUM -acEFGhHiIlLnopPqvwWz0 -A=# -B=# -C=# -e= -m=# --and --or --not --cached --untracked --no-index --exclude-standard --line-number --column --ignore-case --word-regexp --invert-match --fixed-strings --extended-regexp --perl-regexp --basic-regexp --files-with-matches --name-only --files-without-match --count --only-matching --color[=] --no-color --break --heading --show-function --function-context --max-depth=# --text --quiet --full-name --null --context=# --after-context=# --before-context=# --max-count=#',
    ),
    config: verb(
      '-l --list --get= --get-all= --get-regexp= --show-origin --show-scope --local -z --name-only --null',
      0,
    ),
  }),
)

/** Without a command of its own: only its version. */
export const git: Program = { look: lookGit }

/** Git reads what a folder configures, so this holds only where the folder configures nothing that runs. */
function lookGit(words: readonly string[]): Look {
  const [first, ...others] = words
  if (first === '--version' && others.length === 0) return { reads: [] }
  const rest = first === '--no-pager' || first === '-P' ? others : words
  const [name = '', ...given] = rest
  const rules = verbs.get(name)
  if (rules === undefined) return { why: `"git ${name}" may change something.` }
  const read = readOptions(given, rules.options)
  if (read.unknown !== undefined) return { why: `"git ${name} ${read.unknown}" may do more than look.` }
  if (rules.verbs !== undefined && read.operands.length > 0 && !rules.verbs.includes(read.operands[0] as string))
    return { why: `"git ${name} ${read.operands[0] ?? ''}" may change something.` }
  if (name === 'stash' && read.operands.length === 0) return { why: '"git stash" changes files.' }
  const asked = rules.needs?.some((option) => read.given.has(option)) === true
  if (!asked && read.operands.length > rules.most) return { why: `"git ${name}" with words may change something.` }
  return { reads: [...read.reads.map((path) => ({ path })), ...read.operands.flatMap(pathsIn)] }
}

/** A word may be a path, a revision, or a path in one (`HEAD:.env`): taken for a path in each case. */
function pathsIn(word: string): Reading[] {
  const colon = word.indexOf(':')
  return [word, ...(colon === -1 ? [] : [word.slice(colon + 1)])]
    .filter((path) => path !== '')
    .map((path) => ({ path }))
}
