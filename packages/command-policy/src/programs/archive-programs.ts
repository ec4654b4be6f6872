import { type ArgumentCheck, type Program, program } from './program.ts'

/** With `-c`, `-l` or `-t` a compressor prints. Otherwise it replaces the file. */
function compressor(options: string, { always = false, runs = [] as string[] } = {}): Program {
  return program(options, 'files', {
    partial: true,
    runs,
    check: ({ options: given }) =>
      always || ['-c', '-l', '-t', '--stdout', '--list', '--test'].some((option) => given.has(option))
        ? undefined
        : 'It replaces the file.',
  })
}

const gzipFlags = '-cdfkqv --stdout --decompress --keep --quiet --verbose'
const certificateFlags =
  /^-(noout|text|dates|subject|issuer|serial|fingerprint|sha1|sha256|enddate|startdate|pubkey|modulus|purpose|email|hash|subject_hash|issuer_hash|verify|nextupdate|lastupdate)$/

/** Programs that look into archives, compressed files, certificates and binaries. */
export const archivePrograms: Record<string, Program> = {
  gzip: compressor(`${gzipFlags} -lt --list --test`),
  gunzip: compressor(`${gzipFlags} -lt --list --test`, { runs: ['gzip'] }),
  zcat: compressor('-fqv', { always: true, runs: ['gzip'] }),
  xz: compressor(`${gzipFlags} -lt --list --test`),
  unxz: compressor(gzipFlags),
  xzcat: compressor('', { always: true }),
  bzip2: compressor('-cdkqtv --stdout --decompress --keep --quiet --verbose --test'),
  bunzip2: compressor('-ckqtv'),
  bzcat: compressor('', { always: true }),
  tar: { look: lookTar, partial: true, runs: 'gzip bzip2 xz zstd lzip lzma lzop compress'.split(' ') },
  unzip: { partial: true, look: (words) => lookZip(words, /^-(l|v|lv|ql|qql|t|tq|p|c|qc|z|Z|Z1|Z2|Zs|Zm|Zl|Zh|Zt)$/) },
  zipinfo: { partial: true, look: (words) => lookZip(words, /^-([12smlhtTz]{1,3})$/) },
  openssl: { look: lookOpenssl, partial: true },
  // The other options load plugins, show the source files that a binary names, or fetch debug information.
  nm: binary(
    '-aACDgnpruS -t= --debug-syms --demangle --dynamic --extern-only --numeric-sort --undefined-only --defined-only --print-size --size-sort --reverse-sort --radix=',
  ),
  size: binary('-ABdoxt'),
  readelf: binary(
    '-aehlSsdnrVuAIW -p= -x= --file-header --program-headers --section-headers --symbols --dyn-syms --dynamic --notes --relocs --version-info --wide --string-dump= --hex-dump= --segments --sections --all --headers',
  ),
  objdump: binary(
    '-dDpfhxtTrRsCwz -j= -M= --disassemble --disassemble-all --private-headers --file-headers --section-headers --headers --all-headers --syms --dynamic-syms --reloc --full-contents --demangle --no-show-raw-insn --section= --start-address= --stop-address=',
  ),
}

/** Needs a file, since it would take `a.out`, and no list of arguments in a file. */
function binary(options: string): Program {
  return program(options, 'files', {
    check({ operands, words }) {
      if (words.some((word) => word.startsWith('@'))) return 'It reads more arguments from a file.'
      return operands.length === 0 ? 'The file it reads is not named.' : undefined
    },
  })
}

/** `tar tf archive`, `tar -tzvf archive member…`, `tar -xOf archive member`, `tar --list -f archive`. A colon in the name would be a host. */
function lookTar(words: readonly string[]): ArgumentCheck {
  const [first = '', second = ''] = words
  const start =
    first === '--list' && /^(-v?f|--file)$/.test(second)
      ? 2
      : /^-?((?=[zjJv]*t)[tzjJv]+|(?=[zjJvO]*x)(?=[zjJvx]*O)[xOzjJv]+)f$/.test(first)
        ? 1
        : 0
  const [archive, ...members] = words.slice(start)
  if (start === 0 || archive === undefined || /[:]|^-/.test(archive) || members.some((word) => word.startsWith('-')))
    return { why: '"tar" may do more than list.' }
  return { reads: [{ path: archive }] }
}

/** Has its own parser. It expands patterns, and adds `.zip` to a name that does not exist. */
function lookZip(words: readonly string[], option: RegExp): ArgumentCheck {
  const [first = ''] = words
  const [archive, ...members] =
    first.startsWith('-') && option.test(first) ? words.slice(1) : option.test('-1') ? words : []
  if (archive === undefined || /^-|[*?[\]\\]/.test(archive) || members.some((word) => word.startsWith('-')))
    return { why: 'It may unpack the archive.' }
  return { reads: ['', '.zip', '.ZIP'].map((ending) => ({ path: `${archive}${ending}` })) }
}

/** Shows a certificate, or computes the checksums of files. */
function lookOpenssl([verb, ...words]: readonly string[]): ArgumentCheck {
  const why = '"openssl" may do more than show a certificate.'
  if (verb === 'version') return words.every((word) => /^-[abdefmoprv]$/.test(word)) ? { reads: [] } : { why }
  if (verb === 'dgst' && /^-(md5|sha1|sha256|sha384|sha512)$/.test(words[0] ?? '')) {
    const files = words.slice(1)
    return files.some((word) => word.startsWith('-')) ? { why } : { reads: files.map((path) => ({ path })) }
  }
  if (verb === 'list' || verb === 'ciphers')
    return words.every(
      (word) => /^-[a-z-]+$|^[A-Z][A-Z0-9:+!@=-]*$/.test(word) && !/^-(provider|propquery|engine)/.test(word),
    )
      ? { reads: [] }
      : { why }
  if (!/^(x509|req|crl|asn1parse)$/.test(verb ?? '')) return { why }
  const reads: { path: string }[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string
    if (certificateFlags.test(word)) continue
    const value = words[++at]
    if (value === undefined) return { why }
    if (word === '-in' && !/^-|:/.test(value)) reads.push({ path: value })
    else if (!/^-(ext|inform|nameopt|certopt|checkend)$/.test(word) || !/^[\w,^-]+$/.test(value)) return { why }
  }
  return reads.length > 0 && (words.includes('-noout') || verb === 'asn1parse') ? { reads } : { why }
}
