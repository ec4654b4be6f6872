import { optionSpec, parseOptions } from '../options.ts'
import { isPlainAwk } from './awk-script.ts'
import { type ArgumentCheck, type Program, type FileReading, readingsOf } from './program.ts'
import { isPlainSed } from './sed-script.ts'

const sedOptions = optionSpec(
  '-nErsuz -e=! --quiet --silent --expression=! --regexp-extended --separate --unbuffered --null-data --posix',
)
const awkOptions = optionSpec('-F= -v= --field-separator= --assign=')

/** Programs that are told in a language of their own what to do. Only the plainest of it is believed. */
export const scriptPrograms: Record<string, Program> = {
  sed: {
    look: lookSed,
    isTold(words) {
      const { unknown, operands, scripts } = parseOptions(words, sedOptions)
      return unknown === undefined && operands.length + scripts.length > 0
    },
  },
  awk: { look: lookAwk, isTold: hasAwkScript },
  gawk: { look: lookAwk, isTold: hasAwkScript },
  mawk: { look: lookAwk, isTold: hasAwkScript },
  // What it makes of its words depends on those before: the last must be its filter.
  jq: { look: lookJq, isTold: (words) => words.length === 1 && !words[0]?.startsWith('-') },
}

function lookSed(words: readonly string[], name: string): ArgumentCheck {
  const read = parseOptions(words, sedOptions)
  if (read.unknown !== undefined) return { why: `"${name} ${read.unknown}" may write files.` }
  const scripts = read.scripts.map(({ value }) => value)
  const [first, ...others] = read.operands
  const files = scripts.length > 0 ? read.operands : others
  if (scripts.length === 0) scripts.push(first ?? '')
  if (!scripts.every(isPlainSed)) return { why: `The script of "${name}" may do more than print.` }
  return { reads: readingsOf({ ...read, operands: files }, 'files') }
}

function hasAwkScript(words: readonly string[]): boolean {
  const { unknown, operands } = parseOptions(words, awkOptions, { style: 'stop' })
  return unknown === undefined && operands.length > 0
}

function lookAwk(words: readonly string[], name: string): ArgumentCheck {
  const read = parseOptions(words, awkOptions, { style: 'stop' })
  if (read.unknown !== undefined) return { why: `"${name} ${read.unknown}" may do more than print.` }
  const [script = '', ...files] = read.operands
  const assigned = words.flatMap((word, at) =>
    words[at - 1] === '-v' ? [word] : word.startsWith('-v') ? [word.slice(2)] : [],
  )
  const settings = [...assigned.filter((word) => word !== ''), ...words.filter((word) => word.startsWith('--assign'))]
  if (settings.some((setting) => !/^([a-z][a-z0-9_]*|O?FS)=/.test(setting)))
    return { why: `"${name} -v" sets something odd.` }
  if (!isPlainAwk(script)) return { why: `The program of "${name}" may do more than print.` }
  // `name=value` among the files is a setting.
  return { reads: files.filter((file) => file !== '-' && !/^[A-Za-z_]\w*=/.test(file)).map((path) => ({ path })) }
}

const jqFlags =
  /^(-[acCejMnrRsS]+|--(compact-output|raw-output|raw-input|slurp|null-input|exit-status|monochrome-output|color-output|sort-keys|join-output|tab|ascii-output|stream|seq|unbuffered|args|jsonargs))$/
/** Options with the number of words that they take, always the next ones. */
const jqTakes: ReadonlyMap<string, number> = new Map(
  Object.entries({ '--indent': 1, '--arg': 2, '--argjson': 2, '--slurpfile': 2, '--rawfile': 2 }),
)

/** It has a parser of its own: no `=`, and values are taken as they come. The first other word is the filter. */
function lookJq(words: readonly string[]): ArgumentCheck {
  const reads: FileReading[] = []
  let filter: string | undefined
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string
    const takes = jqTakes.get(word)
    if (takes !== undefined) {
      at += takes
      if (at >= words.length || (word === '--indent' && !/^\d$/.test(words[at] as string)))
        return { why: `"jq ${word}" lacks a word.` }
      if (word === '--slurpfile' || word === '--rawfile') reads.push({ path: words[at] as string })
    } else if (word.startsWith('-')) {
      if (!jqFlags.test(word)) return { why: `"jq ${word}" may read other files.` }
    } else if (filter === undefined) {
      filter = word
    } else {
      reads.push({ path: word })
    }
  }
  if (/\b(import|include|modulemeta)\b/.test(filter ?? '')) return { why: 'The filter of "jq" may read other files.' }
  return { reads }
}
