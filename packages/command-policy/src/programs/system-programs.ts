import { type ArgumentCheck, type Program, program } from './program.ts'

const nothing: ArgumentCheck = { reads: [] }

/** Accepts words that all match. Each word stands alone: no option takes the next word as its value. */
function words(pattern: RegExp, why: string): Program {
  return { look: (given) => (given.every((word) => pattern.test(word)) ? nothing : { why }) }
}

const rules: Record<string, Program> = {
  getconf: words(/^(-a|[A-Z_][A-Z0-9_]*)$/, '"getconf" may read a file.'),
  who: words(/^-[abHqstuw]$/, '"who" may read a file.'),
  w: words(/^-[fhsi]+$/, '"w" has unknown options.'),
  last: words(/^(-\d{1,4}|-[adFixw]+)$/, '"last" may read a file.'),
  whereis: words(/^(-[bms]+|[A-Za-z][\w.+-]*)$/, '"whereis" may search other folders.'),
  // Other databases ask the network.
  getent: {
    look: ([database = '', ...keys]) =>
      /^(passwd|group|services|protocols)$/.test(database) && keys.every((key) => /^[A-Za-z0-9_]/.test(key))
        ? nothing
        : { why: '"getent" may ask the network.' },
  },
  vmstat: words(/^(-[adfmstwn]+|[1-5])$/, '"vmstat" may run for a long time.'),
  findmnt: program(
    '-abcDefilnrRsuvJP -t= -o= --all --df --list --json --raw --noheadings --bytes --types= --output=',
    'none',
  ),
  // The other options clear the messages, change the console, read a file or start a pager.
  dmesg: program(
    '-ekrtTux -l= -f= --ctime --decode --kernel --level= --facility= --notime --reltime --userspace',
    'none',
  ),
  swapon: words(/^(--show|--noheadings|--bytes|-s)$/, '"swapon" changes memory.'),
  sysctl: words(/^(-[aAnNeq]|[a-z][\w.-]*)$/, '"sysctl" may change a setting.'),
  ip: { look: lookIp },
  // Without `-n` it asks the network for names.
  netstat: program(
    '-46aelnprstuwxicgMW --all --listening --numeric --programs --route --tcp --udp --interfaces --statistics',
    'none',
    {
      check: ({ options }) =>
        options.has('-n') || options.has('--numeric') ? undefined : '"netstat" may ask the network.',
    },
  ),
  lsof: { look: lookLsof },
  pstree: program('-acghlnptTuUAG', 'text'),
  dpkg: { look: lookDpkg, paged: true, runs: ['dpkg-query'] },
  'dpkg-query': { look: lookDpkg, paged: true },
  bc: program('-lqs --mathlib --quiet --standard', 'none'),
  iconv: program('-cls -f= -t= --from-code= --to-code= --list --silent', 'files', {
    check: ({ values }) =>
      values.some(({ value }) => !/^[\w.:-]*(\/\/(TRANSLIT|IGNORE)?)?$/i.test(value))
        ? '"iconv" may load a converter.'
        : undefined,
  }),
  fmt: program('-NUM -cstu -w=# -g=# -p= --width=# --split-only --uniform-spacing --crown-margin', 'files'),
  tput: words(
    /^(cols|lines|colors|longname|bold|sgr0|smul|rmul|setaf|setab|\d{1,3})$/,
    '"tput" may change the terminal.',
  ),
  stty: words(/^(-a|--all|size|speed)$/, '"stty" changes the terminal.'),
}

/** Programs that show the state of the machine. Many can change it, too. */
export const systemPrograms: Record<string, Program> = Object.fromEntries(
  Object.entries(rules).map(([name, one]) => [name, { ...one, partial: true as const }]),
)

function lookIp(given: readonly string[]): ArgumentCheck {
  const start = given.findIndex((word) => !/^-(4|6|s|d|o|br|brief|c|color|j|json|p|pretty|h)$/.test(word))
  const [object = '', verb, device, name, ...others] = start === -1 ? [] : given.slice(start)
  const isShown = verb === undefined || /^(s|sh|show|list|ls)$/.test(verb)
  const isNamed = device === undefined || (device === 'dev' ? name !== undefined : name === undefined)
  return /^(a|addr|address|l|link|r|route|n|neigh)$/.test(object) && isShown && isNamed && others.length === 0
    ? nothing
    : { why: '"ip" may change the network.' }
}

/** Without `-n` it asks the network for names. */
function lookLsof(given: readonly string[]): ArgumentCheck {
  const why = '"lsof" may ask the network or write a file.'
  let numeric = false
  for (let at = 0; at < given.length; at++) {
    const word = given[at] as string
    if (/^-[nPtalRUw]+$/.test(word)) numeric ||= word.includes('n')
    else if (/^-(i[46]?(TCP|UDP|tcp|udp)?(:[\d,-]+)?|sTCP:LISTEN|p\d+|nP?i|Pni|i[46]?)$/.test(word)) {
      numeric ||= word.startsWith('-n') || word.startsWith('-Pn')
      if (word.endsWith('i') && /^:[\d,-]+$|^(tcp|TCP|udp|UDP)(:[\d,-]+)?$/.test(given[at + 1] ?? '')) at++
    } else if (!(word === '-p' && /^[\d,]+$/.test(given[++at] ?? ''))) return { why }
  }
  return numeric || given.every((word) => !word.includes('i')) ? nothing : { why }
}

function lookDpkg([verb = '', ...given]: readonly string[]): ArgumentCheck {
  const isShown =
    /^(-[lLsS]|--list|--listfiles|--status|--search|--get-selections|--print-architecture|-W|--show)$/.test(verb)
  return isShown && given.every((word) => !word.startsWith('-') || /^(-f=|--showformat=)/.test(word))
    ? nothing
    : { why: '"dpkg" may change the system.' }
}
