import { readFileSync } from 'node:fs'
import path from 'node:path'

const pieces = JSON.parse(readFileSync(path.join(import.meta.dirname, 'fixtures/fuzz-pieces.json'), 'utf8')) as Record<
  | 'words'
  | 'joints'
  | 'redirections'
  | 'expansions'
  | 'quoted'
  | 'loose'
  | 'values'
  | 'verbs'
  | 'longOptions'
  | 'programs',
  string[]
>
export const { programs } = pieces
const { words, joints, redirections, expansions, quoted, loose, values, verbs, longOptions } = pieces

export function seededRandom(seed: number): { below(limit: number): number; of<T>(list: readonly T[]): T } {
  let state = seed >>> 0 || 1
  const below = (limit: number): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % limit
  }
  return { below, of: (list) => list[below(list.length)] as (typeof list)[number] }
}

/** Generates a roughly valid command with words, quotes and operators in odd places. `odd`: percentage of odd ones. */
export function randomCommand({ below, of }: ReturnType<typeof seededRandom>, odd: number): string {
  let text = below(20) === 0 ? of(joints) : ''
  for (let parts = 1 + below(4); parts > 0; parts--) {
    text += word(of(programs))
    for (let count = below(5); count > 0; count--)
      text += of([' ', ' ', ' ', ' ', '  ', '\t', ...joints.slice(-4)]) + part()
    text += of(joints)
  }
  return text

  function part(): string {
    const roll = below(100)
    if (roll < odd) return of([...expansions, ...loose])
    if (roll < odd + 6) return of(redirections)
    if (roll < odd + 30) return quote()
    return word(of(words))
  }

  function word(plain: string): string {
    const roll = below(100)
    if (roll < 70) return plain
    const at = below(plain.length + 1)
    const [before, after] = [plain.slice(0, at), plain.slice(at)]
    if (roll < 78) return `${before}${of(['""', "''", '\\\n', '"" ', '\\'])}${after}`
    if (roll < 86) return `${before}'${after}'`
    if (roll < 92) return `"${before}"${after}`
    if (roll < 96) return `${before}\\${after}`
    return roll < 100 - odd / 10 ? plain : `${before}${of(loose)}${after}`
  }

  function quote(): string {
    const mark = of(["'", '"'])
    let inner = ''
    for (let count = below(4); count > 0; count--) {
      const piece = of(quoted)
      if (mark === "'" && piece.includes("'")) continue
      if (mark === '"' && below(100) >= odd * 2 && /["$`\\]/.test(piece)) continue
      inner += piece
    }
    return `${mark}${inner}${mark}${below(6) === 0 ? of(words) : ''}`
  }
}

/** Generates a nested script with commands in all kinds of positions. `noise`: number of corrupted characters. */
export function randomScript(random: ReturnType<typeof seededRandom>, noise: number): string {
  const { below, of } = random
  let left = 12
  let text = script(3)
  for (let count = below(noise + 1); count > 0; count--) {
    const at = below(text.length + 1)
    text = text.slice(0, at) + (below(2) === 0 ? of(loose) : '') + text.slice(at + below(2))
  }
  return text

  function script(depth: number): string {
    const parts = Array.from({ length: 1 + below(2) }, () => command(depth))
    return parts.reduce((before, next) => before + of([' ; ', '\n', ' && ', ' | ', ' || ', '; ', ' |& ']) + next)
  }

  function command(depth: number): string {
    left--
    if (depth === 0 || left < 0) return `${of(programs.slice(0, 9))} ${of(words.slice(0, 10))}`
    const inner = (): string => script(depth - 1)
    const word = (): string => argument(depth - 1)
    switch (below(24)) {
      case 0:
        return `(${inner()})`
      case 1:
        return `{ ${inner()}; }`
      case 2:
        return `if ${inner()}; then ${inner()}; else ${inner()}; fi`
      case 3:
        return `for v in ${word()} b; do ${inner()}; done`
      case 4:
        return `case ${word()} in a|${word()}) ${inner()};; *) ${inner()};; esac`
      case 5:
        return `f${below(9)}() { ${inner()}; }`
      case 6:
        return `f() { ${inner()}; }; f ${word()}`
      case 7:
        return `eval '${inner().replaceAll("'", '')}'`
      case 8:
        return noise > 0 ? inner() : `while ${inner()}; do ${inner()}; break; done`
      case 9:
        return `! ${inner()}`
      case 10:
        return `time ${inner()}`
      case 11:
        return `[[ ${word()} ]] && ${inner()}`
      case 12:
        return `cat <<E ${word()}\n${word()}\nE\n${command(depth - 1)}`
      case 13:
        return `cat <<'E'\n${word()}\nE\n${command(depth - 1)}`
      case 14:
        return `cat <<-E\n\t${word()}\n\tE\n${command(depth - 1)}`
      case 15:
        return `X=${word()} ${of(programs)} ${word()}`
      case 16:
        return `X=${word()}; $X ${word()}`
      case 17:
        return `(( a[${word()}] ))`
      case 18:
        return `trap '${inner().replaceAll("'", '')}' EXIT`
      default:
        return `${of(programs)} ${word()} ${word()}`
    }
  }

  function argument(depth: number): string {
    const inner = (): string => script(Math.max(0, depth - 1))
    switch (depth <= 0 ? 20 : below(20)) {
      case 0:
        return `$(${inner()})`
      case 1:
        return `"$(${inner()})"`
      case 2:
        return `\`${inner().replaceAll(/[`\\]/g, '')}\``
      case 3:
        return `<(${inner()})`
      case 4:
        return `\${x:-$(${inner()})}`
      case 5:
        return `$(( a[$(${inner()})0] ))`
      case 6:
        return `"a\${x:=\`${inner().replaceAll(/[`\\"]/g, '')}\`}b"`
      case 7:
        return `{a,$(${inner()})}`
      case 8:
        return '"a b"'
      case 9:
        return of(expansions)
      default:
        return of(words.slice(0, 12))
    }
  }
}

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'.split('')

/** Generates arguments that may or may not fit a program. `known`: its known options. */
export function randomArguments(
  { below, of }: ReturnType<typeof seededRandom>,
  program: string,
  known: readonly string[],
): string {
  const given = [program, ...(program === 'git' ? [of(verbs)] : [])]
  for (let count = below(6); count > 0; count--) {
    const roll = below(10)
    if (roll < 3) given.push(`-${Array.from({ length: 1 + below(3) }, () => of(letters)).join('')}`)
    else if (roll === 3) given.push(of(longOptions))
    else if (roll === 4 && known.length > 0) given.push(`${of(known)}${below(2) === 0 ? `=${of(values)}` : ''}`)
    else given.push(of(values))
  }
  if (program === '[') given.push(']')
  return given.map((one) => (/^[A-Za-z0-9_./=[\]-]+$/.test(one) ? one : `'${one.replaceAll("'", `'\\''`)}'`)).join(' ')
}
