import { lookFind } from './find.ts'
import { type Program, program } from './program.ts'

const names = { names: true } as const

/** Programs that list, search and describe files. */
export const filePrograms: Record<string, Program> = {
  ls: program(
    '-1aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ --all --almost-all --author --escape --classify[=] --directory --file-type --full-time --group-directories-first --no-group --human-readable --si --inode --kibibytes --dereference --numeric-uid-gid --literal --quote-name --reverse --recursive --size --context --zero --color[=] --sort= --time= --time-style= --format= --indicator-style= --ignore= --hide= --ignore-backups --block-size= --quoting-style= --show-control-chars --hide-control-chars',
    'files',
    { ...names, recursive: ['-R', '--recursive'] },
  ),
  tree: program(
    '-aAcCdDfFghinNpqQrsStuUvxJX -I= -L=# -P= --dirsfirst --filesfirst --noreport --prune --gitignore --du --si --inodes --device --charset= --filelimit=# --matchdirs --ignore-case --sort= --timefmt=',
    'trees',
    names,
  ),
  find: { look: lookFind },
  fd: program(
    '-HIuagFips01q -t= -e= -d=# -E= -S= -c= -j=# --hidden --no-ignore --no-ignore-vcs --unrestricted --glob --fixed-strings --ignore-case --case-sensitive --full-path --absolute-path --print0 --type= --extension= --max-depth=# --min-depth=# --exact-depth=# --exclude= --size= --color= --changed-within= --changed-before= --max-results=# --quiet --show-errors --prune --strip-cwd-prefix',
    'pattern-trees',
    names,
  ),
  stat: program('-Lt -c= --format= --printf= --dereference --terse', 'files', names),
  // Others of its options unpack, compile, or change the times of a file.
  file: program('-bhikLnNr0 --brief --mime --mime-type --mime-encoding --no-dereference --keep-going --raw', 'files'),
  du: program(
    '-aAbchHklmsSx0 -d=# -t= --all --apparent-size --bytes --total --human-readable --si --summarize --separate-dirs --max-depth=# --exclude= --one-file-system --threshold= --block-size= --time[=] --time-style= --null',
    'trees',
    names,
  ),
  df: program(
    '-ahHiklP --all --human-readable --si --inodes --local --portability --total --block-size=',
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
  egrep: grep(),
  fgrep: grep(),
  // Others of its options run programs, follow links out of the folder, or read lists.
  rg: program(
    '-acFhHiIlnNopPqsSUuvwxV0. -A=# -B=# -C=# -d=# -e= -E= -f=< -g= -j=# -m=# -M=# -r= -t= -T= --after-context=# --before-context=# --context=# --max-depth=# --maxdepth=# --max-count=# --max-columns=# --max-filesize= --regexp= --encoding= --file=< --glob= --iglob= --type= --type-not= --threads=# --replace= --sort= --sortr= --color= --colors= --context-separator= --field-match-separator= --path-separator= --engine= --hidden --no-hidden --no-ignore --no-ignore-vcs --no-ignore-dot --no-ignore-parent --no-ignore-global --no-ignore-exclude --unrestricted --files --files-with-matches --files-without-match --type-list --json --stats --no-heading --heading --column --no-column --line-number --no-line-number --ignore-case --smart-case --case-sensitive --fixed-strings --word-regexp --line-regexp --count --count-matches --include-zero --only-matching --invert-match --multiline --multiline-dotall --pcre2 --trim --vimgrep --no-messages --no-filename --with-filename --passthru --pretty --null --null-data --text --binary --byte-offset --crlf --one-file-system --quiet --no-config --glob-case-insensitive --max-columns-preview --no-mmap --mmap --line-buffered --block-buffered --no-require-git --unicode --no-unicode',
    'pattern-trees',
    { patternIn: ['-e', '-f', '--regexp', '--file', '--files', '--type-list'] },
  ),
}

function grep(): Program {
  return program(
    '-NUM -abcEFGhHiIlLnoPqrsTUvwxyzZ -A=# -B=# -C=# -m=# -d= -D= -e= -f=< --after-context=# --before-context=# --context=# --max-count=# --regexp= --file=< --include= --exclude= --exclude-dir= --exclude-from=< --color[=] --colour[=] --recursive --line-number --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count --files-with-matches --files-without-match --only-matching --quiet --silent --no-messages --with-filename --no-filename --fixed-strings --extended-regexp --basic-regexp --perl-regexp --null --null-data --text --binary --binary-files= --label= --line-buffered --byte-offset --initial-tab --directories= --devices=',
    'pattern',
    { recursive: ['-r', '--recursive', '-d', '--directories'], patternIn: ['-e', '-f', '--regexp', '--file'] },
  )
}
