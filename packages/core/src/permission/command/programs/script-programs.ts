import { optionSpec, readOptions } from '../options.ts'
import { isPlainAwk } from './awk-script.ts'
import { type Look, type Program, program, readingsOf } from './program.ts'
import { isPlainSed } from './sed-script.ts'

const sedOptions = optionSpec(
  '-nErsuz -e=! --quiet --silent --expression=! --regexp-extended --separate --unbuffered --null-data --posix',
)
const awkOptions = optionSpec('-F= -v= --field-separator= --assign=')

/** Programs that are told in a language of their own what to do. Only the plainest of it is believed. */
export const scriptPrograms: Record<string, Program> = {
  sed: { look: lookSed },
  gsed: { look: lookSed },
  awk: { look: lookAwk },
  gawk: { look: lookAwk },
  mawk: { look: lookAwk },
  nawk: { look: lookAwk },
  jq: { look: lookJq },
}

function lookSed(words: readonly string[], name: string): Look {
  const read = readOptions(words, sedOptions)
  if (read.unknown !== undefined) return { why: `"${name} ${read.unknown}" may write files.` }
  const scripts = read.scripts.map(({ value }) => value)
  const [first, ...others] = read.operands
  const files = scripts.length > 0 ? read.operands : others
  if (scripts.length === 0) scripts.push(first ?? '')
  if (!scripts.every(isPlainSed)) return { why: `The script of "${name}" may do more than print.` }
  return { reads: readingsOf({ ...read, operands: files }, 'files') }
}

function lookAwk(words: readonly string[], name: string): Look {
  const read = readOptions(words, awkOptions, { stop: true })
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

const jq = program(
  '-acCejMnrRsS --compact-output --raw-output --raw-input --slurp --null-input --exit-status --monochrome-output --color-output --sort-keys --join-output --tab --ascii-output --indent=#',
  'pattern',
)

function lookJq(words: readonly string[], name: string): Look {
  // `--arg name value` takes two words, neither of them a file.
  const plain: string[] = []
  for (let at = 0; at < words.length; at++) {
    if (words[at] === '--arg' || words[at] === '--argjson') at += 2
    else plain.push(words[at] as string)
  }
  if (plain.some((word) => word === '--' || /\b(import|include|modulemeta)\b/.test(word)))
    return { why: 'The filter of "jq" may read other files.' }
  return jq.look(plain, name)
}
