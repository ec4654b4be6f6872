/** Replaces `import(…)` in evaluated code, where it does not work. */
export const importName = '__import'

// Tokens after which a slash starts a regular expression, not a division. The same holds at the start.
const beforeExpression =
  /(?:^|[(,=:[!&|?{};+\-*%~^<>]|\b(?:return|typeof|case|in|of|delete|void|throw|new|await|yield|else|do))\s*$/

const skipped =
  /\/\/[^\n]*|\/\*[^]*?\*\/|'(?:[^'\\\n]|\\[^])*'|"(?:[^"\\\n]|\\[^])*"|[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*|\s+|[^]/uy
const regularExpression = /\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y
const declaration =
  /import\s*(?:(?<names>[\p{ID_Start}$_{*][^'"();]*?)\s*\bfrom\s*)?(?<source>'[^'\n]*'|"[^"\n]*")(?:\s*with\s*\{[^}]*\})?/uy

/** Turns `import(…)` and import declarations into calls of `__import`. Leaves strings, comments and the like alone. */
export function rewriteImports(code: string): string {
  if (!/\bimport\b/.test(code)) return code
  let written = ''
  const templates: number[] = []
  for (let at = 0; at < code.length;) {
    const token = next(at)
    at += token.length
    if (token === '`') {
      written += token
      at = template(at)
    } else if (token === '{' && templates.length > 0) {
      templates[templates.length - 1]!++
      written += token
    } else if (token === '}' && templates.length > 0 && --templates[templates.length - 1]! < 0) {
      templates.pop()
      written += token
      at = template(at)
    } else if (token === 'import' && !/(?:^|[^.])\.\s*$/.test(written.slice(-20))) {
      at = rewrite(at - token.length)
    } else {
      written += token
    }
  }
  return written

  function next(at: number): string {
    if (code[at] === '/' && beforeExpression.test(written.slice(-20))) {
      regularExpression.lastIndex = at
      const literal = regularExpression.exec(code)?.[0]
      if (literal !== undefined && !literal.startsWith('//') && !literal.startsWith('/*')) return literal
    }
    skipped.lastIndex = at
    return skipped.exec(code)?.[0] ?? (code[at] as string)
  }

  function template(from: number): number {
    for (let at = from; at < code.length; at++) {
      if (code[at] === '\\') at++
      else if (code[at] === '`') {
        written += code.slice(from, at + 1)
        return at + 1
      } else if (code[at] === '$' && code[at + 1] === '{') {
        written += code.slice(from, at + 2)
        templates.push(0)
        return at + 2
      }
    }
    written += code.slice(from)
    return code.length
  }

  function rewrite(from: number): number {
    const after = from + 'import'.length
    if (/^\s*\(/.test(code.slice(after))) {
      written += importName
      return after
    }
    declaration.lastIndex = from
    const match = declaration.exec(code)
    if (match === null) {
      written += 'import'
      return after
    }
    const { names, source } = match.groups as { names?: string; source: string }
    written += `${binding(names)}await ${importName}(${source})`
    return from + match[0].length
  }
}

/** Turns `a, { b as c }` into `const { default: a, b: c } = `. */
function binding(names: string | undefined): string {
  if (names === undefined) return ''
  const whole = /\*\s*as\s+(\S+)/.exec(names)?.[1]
  const first = /^\s*([^\s,{*]+)/.exec(names)?.[1]
  const listed = /\{([^]*)\}/.exec(names)?.[1] ?? ''
  const parts = listed
    .split(',')
    .map((part) => part.trim().replace(/\s+as\s+/, ': '))
    .filter((part) => part !== '')
  if (first !== undefined) parts.unshift(`default: ${first}`)
  if (whole === undefined) return `const { ${parts.join(', ')} } = `
  return `const ${first === undefined ? whole : `{ default: ${first}, ...${whole} }`} = `
}
