import type { SiblingPlace } from '@troupe/core'
import type { Author, Part } from '@troupe/protocol'
import { Bot, CircleSlash, File, Folder, GraduationCap, Pencil, SquareSlash } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { TeamPart, useReadOnly, useTeam } from '../../state/team.tsx'
import { t } from '../../texts/t.ts'
import { Button, CopyButton, IconButton } from '../../ui/button.tsx'
import { GrowingTextarea, Moment } from '../../ui/elements.tsx'
import { expectFocus, focusOnMount } from '../../ui/focus.ts'
import { partData } from '../session/message-parts.ts'
import { useSession, useSessionStore } from '../session/session-context.ts'
import { messageText, type VisibleMessage } from '../session/session-state.ts'
import './brought-parts.css'
import { FilePart } from './file-part.tsx'
import { BranchArrows, MessageActions, MessageComments, MessageMenu } from './message-actions.tsx'

export function UserMessage({ message, place }: { message: VisibleMessage; place: SiblingPlace | undefined }) {
  const { edit } = useSessionStore()
  const busy = useSession((state) => state.run !== null)
  const isTask = useSession((state) => state.agentId !== null)
  const isReadOnly = useReadOnly(useSession((state) => state.sessionId)) !== undefined
  const author = useShownAuthor(message.metadata?.author)
  const [editing, setEditing] = useState(false)
  const text = messageText(message)
  const files = message.parts.filter((part) => part.type === 'file')
  if (editing && !busy) {
    return (
      <article className="message message-user" aria-label={t.chat.youEditing} data-message={message.id}>
        <MessageEditor
          text={text}
          onCancel={() => {
            expectFocus(() => document.querySelector(`[data-message="${CSS.escape(message.id)}"] .message-edit`))
            setEditing(false)
          }}
          onSave={(changed) => {
            setEditing(false)
            void edit(message.id, changed)
          }}
        />
      </article>
    )
  }
  // Reserves space before the arrows render, to avoid a layout shift.
  const isBranched = place !== undefined && place.total > 1
  return (
    <article
      className={isBranched ? 'message message-user message-branched' : 'message message-user'}
      aria-label={isTask ? t.chat.task : (author?.name ?? t.chat.you)}
      data-message={message.id}
    >
      {author !== undefined && <TeamPart part="MessageAuthor" author={author} />}
      <ReferenceChips parts={message.parts} />
      {(text !== '' || files.length > 0) && (
        <div className="bubble">
          {files.length > 0 && (
            <div className="bubble-files" data-single={files.length === 1}>
              {files.map((part, index) => (
                <FilePart key={index} url={part.url} mediaType={part.mediaType} name={part.filename} />
              ))}
            </div>
          )}
          {text !== '' && (
            <div className="bubble-text" dir="auto">
              {text}
            </div>
          )}
        </div>
      )}
      <MessageActions>
        {text !== '' && <CopyButton text={text} label={t.chat.copyMessage} />}
        {!isTask && !isReadOnly && (
          <IconButton
            className="message-edit"
            label={busy ? t.chat.editWhenDone : t.chat.edit}
            disabled={busy}
            onClick={() => setEditing(true)}
          >
            <Pencil />
          </IconButton>
        )}
        <MessageComments messageId={message.id} part="CommentButton" />
        <MessageMenu message={message} />
        <BranchArrows place={place} />
        <span className="facts">
          <Moment time={message.createdAt} />
        </span>
      </MessageActions>
      <MessageComments messageId={message.id} part="CommentThread" />
    </article>
  )
}

/** The author of a message, in a chat where others than the reader write. */
export function useShownAuthor(author: Author | undefined): Author | undefined {
  const own = useTeam(({ page }) => page?.person.id)
  const isShared = useSession(({ messages }) =>
    messages.some(({ metadata }) =>
      [metadata?.author, ...Object.values(metadata?.steeredBy ?? {})].some(
        (one) => one !== undefined && one.id !== own,
      ),
    ),
  )
  return isShared ? author : undefined
}

/** Edits a message. Enter saves, Escape cancels. */
function MessageEditor({
  text,
  onSave,
  onCancel,
}: {
  text: string
  onSave: (text: string) => void
  onCancel: () => void
}) {
  const [value, setValue] = useState(text)
  const changed = value.trim() !== '' && value !== text
  const save = () => {
    if (changed) onSave(value)
  }
  return (
    <div className="editor">
      <GrowingTextarea
        aria-label={t.chat.editMessage}
        ref={focusOnMount}
        value={value}
        onChange={(event) => setValue(event.target.value)}
        onFocus={(event) => event.target.setSelectionRange(text.length, text.length)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return
          if (event.key === 'Escape') {
            event.stopPropagation()
            onCancel()
          }
          if (event.key !== 'Enter' || event.shiftKey) return
          event.preventDefault()
          save()
        }}
      />
      <div className="editor-buttons">
        <span className="editor-hint">{t.chat.originalKept}</span>
        <Button kind="quiet" onClick={onCancel}>
          {t.ui.cancel}
        </Button>
        <Button kind="primary" disabled={!changed} onClick={save}>
          {t.chat.send}
        </Button>
      </div>
    </div>
  )
}

const mentionIcons = { file: File, folder: Folder, agent: Bot, refused: CircleSlash }

/** Lists the skills, commands, files and agents that a message mentions, and those that failed to load. */
function ReferenceChips({ parts }: { parts: readonly Part[] }) {
  const chips = parts.flatMap((part, index) => {
    const chip = chipOf(part)
    return chip === undefined ? [] : [<li key={index}>{chip}</li>]
  })
  if (chips.length === 0) return null
  return (
    <ul className="brought" aria-label={t.composerPicks.included}>
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
