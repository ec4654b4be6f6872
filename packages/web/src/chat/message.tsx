import { memo } from 'react'
import type { SiblingPlace } from '@troupe/core'
import { AnswerMessage } from './answer-message.tsx'
import type { VisibleMessage } from './session-state.ts'
import { UserMessage } from './user-message.tsx'
import './message.css'

export const Message = memo(function Message({
  message,
  place,
  last,
}: {
  message: VisibleMessage
  place: SiblingPlace | undefined
  last: boolean
}) {
  return message.role === 'user' ? (
    <UserMessage message={message} place={place} />
  ) : (
    <AnswerMessage message={message} place={place} last={last} />
  )
})
