import type { Author } from '@troupe/protocol'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/elements.tsx'
import './message-author.css'
import { Avatar } from './parts/avatar.tsx'

/** Says who wrote a message, in a chat with messages of others. */
export function MessageAuthor({ author: { name } }: { author: Author }) {
  return (
    <span className="message-author">
      <Avatar name={name} />
      <VisibleText text={name === '' ? t.team.formerMember : name} as="name" />
    </span>
  )
}
