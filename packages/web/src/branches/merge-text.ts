import { messageText } from '../chat/session-state.ts'
import { t } from '../texts/t.ts'
import type { BranchEnd } from './read-branch.ts'

const longest = 20_000

/** A message that brings the outcome of another branch into this one, for the person to finish and send. */
export function mergeText({ messages, changes: { files } }: BranchEnd): string {
  const question = messageText(messages.find(({ role }) => role === 'user')).trim()
  const outcome = messageText(
    messages.findLast((message) => message.role === 'assistant' && messageText(message) !== ''),
  ).trim()
  return [
    ...(question === '' ? [] : [t.branches.mergeIntro, quoted(question)]),
    ...(outcome === '' ? [] : [t.branches.mergeOutcome, quoted(outcome)]),
    ...(files.length === 0 ? [] : [t.branches.mergeFiles, files.map((file) => `- ${file}`).join('\n')]),
    t.branches.mergeAsk,
  ].join('\n\n')
}

function quoted(text: string): string {
  const cut = text.length > longest ? `${text.slice(0, longest).toWellFormed()} …` : text
  return cut.replaceAll(/^/gm, '> ')
}
