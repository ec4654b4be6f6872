import { type ArgumentCheck, type Program, program } from './program.ts'

/** Programs that print files or parts of them. Unlisted options need approval. */
export const textPrograms: Record<string, Program> = {
  cat: program(
    '-AbeEnstTuv --show-all --number --number-nonblank --show-ends --show-tabs --show-nonprinting --squeeze-blank',
    'files',
  ),
  tac: program('-br -s= --before --regex --separator=', 'files'),
  rev: program('', 'files'),
  head: program('-NUM -qvz -n= -c= --lines= --bytes= --quiet --silent --verbose --zero-terminated', 'files'),
  tail: program(
    '-NUM -fFqvz -n= -c= --lines= --bytes= --quiet --silent --verbose --follow[=] --retry --zero-terminated',
    'files',
  ),
  wc: program('-clLmw --bytes --chars --lines --words --max-line-length', 'files'),
  nl: program('-b= -d= -f= -h= -i=# -l=# -n= -p -s= -v=# -w=#', 'files'),
  cut: program(
    '-nsz -b= -c= -d= -f= --bytes= --characters= --delimiter= --fields= --only-delimited --complement --output-delimiter=',
    'files',
  ),
  paste: program('-sz -d= --delimiters= --serial', 'files'),
  tr: program('-cCdst --complement --delete --squeeze-repeats --truncate-set1', 'text'),
  fold: program('-bs -w=# --width=# --bytes --spaces', 'files'),
  expand: program('-i -t= --tabs= --initial', 'files'),
  unexpand: program('-a -t= --tabs= --all --first-only', 'files'),
  column: program(
    '-deJLtx -c=# -E= -H= -l=# -N= -o= -O= -R= -s= -T= -W= --table --json --table-noheadings --keep-empty-lines --table-columns= --table-right= --table-hide= --output-width=# --separator= --output-separator=',
    'files',
  ),
  sort: program(
    '-bdfghiMnRrVcCmsuz -k= -t= --key= --field-separator= --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --human-numeric-sort --month-sort --numeric-sort --reverse --version-sort --check[=] --merge --stable --unique --zero-terminated --sort= --parallel=# -S= --buffer-size=',
    'files',
  ),
  shuf: program('-ez -i= -n=# --echo --input-range= --head-count=# --zero-terminated', 'files'),
  uniq: program(
    '-cdDiuz -f=# -s=# -w=# --count --repeated --all-repeated[=] --unique --ignore-case --skip-fields=# --skip-chars=# --check-chars=# --zero-terminated',
    'one',
  ),
  comm: program('-123z --check-order --nocheck-order --output-delimiter= --total --zero-terminated', 'files'),
  join: program(
    '-iz -1=# -2=# -a=# -e= -j=# -o= -t= -v=# --header --ignore-case --check-order --nocheck-order',
    'files',
  ),
  // `-l` pipes its output to another program.
  diff: program(
    '-abBcdeEiNpqrstTuwyZ -C=# -U=# -W=# -I= -x= --text --brief --unified[=] --context[=] --color[=] --side-by-side --width=# --recursive --new-file --report-identical-files --ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-trailing-space --ignore-matching-lines= --exclude= --suppress-common-lines --strip-trailing-cr --minimal --no-dereference --left-column --expand-tabs --normal --label= --show-c-function',
    // Given two folders, it compares their files, with or without -r.
    'trees',
    { folder: false, linksIn: true },
  ),
  cmp: program('-bls -i= -n=# --print-bytes --verbose --silent --quiet --ignore-initial= --bytes=#', 'files'),
  od: program(
    '-abcdDefFhHiIlLoOsvxX -A= -j= -N= -t= -w[=] --address-radix= --skip-bytes= --read-bytes= --format= --output-duplicates',
    'files',
  ),
  hexdump: program('-bcCdovx -n=# -s=', 'files'),
  xxd: { look: lookXxd },
  strings: program('-NUM -afo -n=# -t= -e= --all --bytes=# --radix= --encoding= --print-file-name', 'files', {
    check: ({ words }) =>
      words.some((word) => word.startsWith('@')) ? '"strings" reads more arguments from a file.' : undefined,
  }),
  base64: program('-d -w=# --decode --wrap=#', 'one'),
  base32: program('-d -w=# --decode --wrap=#', 'one'),
  md5sum: program('-btz --binary --text --tag --zero', 'files'),
  sha1sum: program('-btz --binary --text --tag --zero', 'files'),
  sha224sum: program('-btz --binary --text --tag --zero', 'files'),
  sha256sum: program('-btz --binary --text --tag --zero', 'files'),
  sha384sum: program('-btz --binary --text --tag --zero', 'files'),
  sha512sum: program('-btz --binary --text --tag --zero', 'files'),
  b2sum: program('-btz --binary --text --tag --zero', 'files'),
  shasum: program('-bt -a=# --algorithm=# --binary --text', 'files'),
  cksum: program('', 'files'),
  sum: program('-rs', 'files'),
}

/**
 * Has its own parser: options match by their first letter, so `-ps` is one option. The first operand ends the options,
 * and the second operand is an output file. Accepts only spellings that every version parses alike.
 */
function lookXxd(words: readonly string[]): ArgumentCheck {
  let at = 0
  for (; at < words.length && (words[at] as string).startsWith('-') && words[at] !== '-'; at++) {
    const word = words[at] as string
    if (/^-(a|b|C|d|e|E|i|p|ps|u)$/.test(word)) continue
    const [, joined] = /^-(?:c|g|l|len|o|s)([-+]?\d\w*)?$/.exec(word) ?? []
    if (joined === undefined && /^-(c|g|l|len|o|s)$/.test(word)) at++
    if (!/^[-+]{0,2}\d\w*$/.test(joined ?? words[at] ?? '')) return { why: `"xxd ${word}" may do more than read.` }
  }
  const files = words.slice(at)
  if (files.length > 1) return { why: '"xxd" writes to its second file.' }
  return { reads: files.filter((path) => path !== '-').map((path) => ({ path })) }
}
