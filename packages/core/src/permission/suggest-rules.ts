import path from 'node:path'
import { type FoundCommand, matchCommand, parseCommandPattern, rememberablePrefix } from '@troupe/command-policy'
import { isInside } from '../files/resolve-path.ts'
import { parseRule } from './parse-rule.ts'
import type { CommandFact, PathFact, PathView } from './path-facts.ts'
import { quotePath } from './rule-patterns.ts'

/** People do not read longer lists. */
const maxSuggestions = 10

/** Returns the rules if all of them can be parsed back. Otherwise none, since only all together help. */
export function suggestedRules(given: readonly string[]): string[] {
  const rules = [...new Set(given)]
  if (rules.length > maxSuggestions) return []
  const canBeRead = (text: string): boolean => {
    try {
      return parseRule(text).text === text
    } catch {
      return false
    }
  }
  return rules.every(canBeRead) ? rules : []
}

/** Suggests one rule for each part that no rule covers. Returns none if a part could run anything. */
export function suggestCommandRules(
  tool: 'Bash' | 'Outside',
  { analysis, parts }: CommandFact,
  isCovered: (found: FoundCommand) => boolean,
): string[] {
  if (analysis.overLimit !== undefined || analysis.unseen !== undefined) return []
  const rules = new Set<string>()
  for (const found of parts) {
    if (found.harmless || found.transparent === true || isCovered(found)) continue
    const { argv, assignments } = found
    const pattern = argv === null || !assignments.every(({ safe }) => safe) ? null : rememberablePrefix(argv)
    if (argv === null || pattern === null) return []
    if (matchCommand(parseCommandPattern(pattern), { words: argv, complete: true }) !== 'yes') return []
    rules.add(`${tool}(${pattern})`)
  }
  return [...rules]
}

/**
 * Suggests rules that match the path as spelled and as resolved: the folder for writes in the workspace, otherwise only
 * the requested path. None for a path that contains the workspace or home. None for a listing, since the rule would
 * also cover file contents.
 */
export function suggestPathRules(fact: PathFact, view: PathView): string[] {
  const ends = [...new Set([fact.spelled, fact.real])]
  if (fact.names === true || ends.some((end) => containsRoot(end, view))) return []
  const tool = fact.kind === 'read' ? 'Read' : 'Edit'
  return [...new Set(ends.map((end) => `${tool}(${pathRuleText(end, fact, view)})`))]
}

function pathRuleText(end: string, { kind, inside, secret, guard, folder }: PathFact, view: PathView): string {
  if (secret !== undefined || guard !== undefined) return fileRuleText(end, view)
  if (!folder && (kind === 'read' || !inside)) return fileRuleText(end, view)
  const around = folder ? end : path.dirname(end)
  return containsRoot(around, view) || around.split('/').length < 4
    ? fileRuleText(end, view)
    : `${relativePattern(around, view)}/**`
}

function containsRoot(folder: string, { roots, home }: PathView): boolean {
  return [...roots, home].some((one) => isInside(one, folder))
}

function fileRuleText(file: string, view: PathView): string {
  const rule = relativePattern(file, view)
  return rule.includes('/') ? rule : `./${rule}`
}

/** Relative to the workspace, the home, or the file system root, so that it works in every layer. */
function relativePattern(file: string, { roots, home }: PathView): string {
  const root = roots.find((one) => isInside(file, one))
  if (root !== undefined) {
    const below = quotePath(path.relative(root, file))
    // A folder of that literal name, not the home.
    return /^[~!]/.test(below) ? `./${below}` : below
  }
  return isInside(file, home) ? `~/${quotePath(path.relative(home, file))}` : `/${quotePath(file)}`
}
