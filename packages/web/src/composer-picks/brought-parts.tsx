import { Bot, CircleSlash, File, Folder, GraduationCap, SquareSlash } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Part } from '@troupe/core/protocol'
import { partData } from '../chat/data-of.ts'
import { t } from '../texts/t.ts'
import './brought-parts.css'

const mentionIcons = { file: File, folder: Folder, agent: Bot, refused: CircleSlash }

/** What a message brought in by naming it: skills, a command, files, agents; and what it could not. */
export function ReferenceChips({ parts }: { parts: readonly Part[] }) {
  const chips = parts.flatMap((part, index) => {
    const chip = chipOf(part)
    return chip === undefined ? [] : [<li key={index}>{chip}</li>]
  })
  if (chips.length === 0) return null
  return (
    <ul className="brought" aria-label={t.composerPicks.brought}>
      {chips}
    </ul>
  )
}

function chipOf(part: Part): ReactNode {
  const skill = partData(part, 'skill')
  if (skill !== undefined) return chip(<GraduationCap aria-hidden />, t.composerPicks.skill(skill.name), skill.path)
  const command = partData(part, 'command')
  if (command !== undefined)
    return chip(<SquareSlash aria-hidden />, t.composerPicks.command(command.name), command.path)
  const mention = partData(part, 'mention')
  if (mention === undefined) return undefined
  const { kind, name, lines, content } = mention
  const Icon = mentionIcons[kind]
  if (kind === 'refused') return chip(<Icon aria-hidden />, content, content, true)
  return chip(
    <Icon aria-hidden />,
    lines === undefined ? name : `${name}:${lines}`,
    t.composerPicks.characters(content.length),
  )
}

function chip(icon: ReactNode, text: string, title: string, refused = false): ReactNode {
  return (
    <span className={refused ? 'brought-chip brought-refused' : 'brought-chip'} title={title}>
      {icon}
      <span>{text}</span>
    </span>
  )
}
