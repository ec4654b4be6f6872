import type { SearchQuery } from './search-query.ts'

/** The lines of ripgrep's complaints when each is about a file that cannot be read; undefined when one is about the query. */
export function unreadablePaths(complaints: string): string[] | undefined {
  const lines = complaints.split('\n').filter((line) => line !== '')
  return lines.every((line) => /\(os error \d+\)$/.test(line))
    ? lines.map((line) => line.replace(/^rg: /, ''))
    : undefined
}

/** What ripgrep refuses, with what to do instead. */
export function searchError(query: SearchQuery, complaints: string): Error {
  const said = complaints.replace(/^rg: /gm, '').trim()
  if (/unrecognized file type/.test(said)) {
    return new Error(
      `"${query.type}" is not a file type that ripgrep knows (ts, js, py, rust, go, java, md … are). Use glob instead, such as "*.${query.type}".`,
    )
  }
  if (/error parsing glob|glob/.test(said) && !/regex/.test(said)) {
    return new Error(`The glob "${query.glob}" cannot be used: ${said}`)
  }
  if (/the literal .* is not allowed/.test(said)) {
    return new Error(
      `The pattern has a line break in it. Set "multiline": true to match across lines. (${firstLine(said)})`,
    )
  }
  if (/PCRE2 is not available/.test(said)) {
    return new Error(
      'Look-around and backreferences need a ripgrep with PCRE2, and this one has none. Search for a simpler pattern and look through its matches.',
    )
  }
  if (/regex|PCRE2|pattern/i.test(said)) {
    const literal = escapeRegex(query.pattern)
    const hint =
      literal === query.pattern ? '' : `\nTo search for this very text, escape it: ${JSON.stringify(literal)}`
    return new Error(
      `The pattern is not a valid regular expression, nothing was searched.\n${withoutAdvice(said)}${hint}`,
    )
  }
  return new Error(`The search failed, nothing can be said about matches: ${said || 'ripgrep gave no reason'}`)
}

/** Ripgrep's own advice is about options that a model does not have. */
function withoutAdvice(said: string): string {
  return said.replace(/\n\n(Consider|When)[^]*$/, '').trimEnd()
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? ''
}

function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
