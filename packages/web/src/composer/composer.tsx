import { ArrowUp, CornerDownRight, ListPlus, Paperclip, Square } from 'lucide-react'
import { lazy, Suspense, useEffect, useId, useRef } from 'react'
import { useStore } from 'zustand'
import { AgentPicker } from '../agents/agent-picker.tsx'
import { fileParts } from '../chat/attachments.ts'
import { useChatActions } from '../chat/hooks/use-chat-actions.ts'
import { useSession, useSessionStore } from '../chat/session-context.ts'
import { SuggestionList } from '../composer-picks/pick-list.tsx'
import { useSuggestions } from '../composer-picks/use-picks.ts'
import { SubAgentAsks } from '../inbox/asks-below.tsx'
import { ModelPicker } from '../models/model-picker.tsx'
import { ModePicker } from '../modes/mode-picker.tsx'
import { currentMode } from '../modes/session-mode.ts'
import { keyNames } from '../shortcuts/keys.ts'
import { t } from '../texts/t.ts'
import { GrowingTextarea } from '../ui/growing-textarea.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { notice } from '../ui/notices.tsx'
import { useApp, useWorkspace } from '../workspace.ts'
import { BlockedNote } from './blocked-note.tsx'
import { ComposerHint } from './composer-hint.tsx'
import { ParamsButton } from './params-button.tsx'
import { QuoteButton } from './quote-button.tsx'
import { typedAddresses } from './typed-addresses.ts'
import { useBlocked } from './use-blocked.ts'
import { useFileDrop } from './use-file-drop.ts'
import { useInputHistory } from './use-history.ts'
import { usePaste } from './use-paste.ts'
import './composer.css'

const AttachmentChips = lazy(() =>
  import('./attachment-chips.tsx').then((loaded) => ({ default: loaded.AttachmentChips })),
)
const QueueChips = lazy(() => import('./queue-chips.tsx').then(({ QueueChips: Chips }) => ({ default: Chips })))

/**
 * Enter sends. While a run is on Enter queues for after it, Ctrl or Cmd with Enter speaks to it, and Escape stops it.
 * Arrow up in an empty field brings back what was written before.
 */
export function Composer() {
  const { setDraft, attach, send, enqueue, steer, stop } = useChatActions()
  const { queue } = useSessionStore()
  const sessionId = useSession((state) => state.sessionId)
  const draft = useSession((state) => state.draft)
  const running = useSession((state) => state.run !== null)
  const stopping = useSession((state) => state.run?.stopAskedAt != null)
  const gone = useSession((state) => state.phase === 'missing')
  const isQueued = useStore(queue, ({ items }) => items.length > 0)
  const blocked = useBlocked()
  const { sendAsNew } = useWorkspace()
  const mode = useApp(currentMode)
  const field = useRef<HTMLTextAreaElement>(null)
  const keysId = useId()
  useEffect(() => {
    // On a phone the focus would bring up the keyboard over half of the page.
    if (window.matchMedia('(pointer: fine)').matches) field.current?.focus()
  }, [sessionId])
  const picks = useSuggestions(field, draft, setDraft)
  const history = useInputHistory(draft, setDraft)
  const attachments = useSession((state) => state.attachments)
  const picker = useRef<HTMLInputElement>(null)
  const dropping = useFileDrop(attach)
  const onPaste = usePaste()
  const uploaded = attachments.every(({ url }) => url !== null)
  const isWritten = draft.trim() !== ''
  const ready = (isWritten || attachments.length > 0) && uploaded && blocked === null

  const submit = () => {
    if (!ready) return
    const files = fileParts(attachments)
    if (gone) {
      setDraft('')
      sendAsNew(draft, files)
    } else if (running) enqueue(draft, files)
    else void send(draft, files)
    field.current?.focus()
  }
  const speak = () => {
    if (!running) return submit()
    if (attachments.length > 0) return notice(t.composer.noFilesWhileSteering)
    if (isWritten && blocked === null) void steer(draft)
    field.current?.focus()
  }

  return (
    <form
      className={dropping ? 'composer composer-dropping' : 'composer'}
      data-mode={mode}
      data-focus-home=".composer-box textarea"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <SubAgentAsks />
      <QuoteButton />
      <BlockedNote blocked={blocked} />
      {isQueued && (
        <Suspense>
          <QueueChips />
        </Suspense>
      )}
      <div className="composer-box">
        <SuggestionList picks={picks} />
        {attachments.length > 0 && (
          <Suspense>
            <AttachmentChips />
          </Suspense>
        )}
        <GrowingTextarea
          ref={field}
          aria-label={running ? t.composer.messageDuringRun : t.composer.message}
          placeholder={
            dropping ? t.composer.dropHere : running ? t.composer.placeholderDuringRun : t.composer.placeholder
          }
          value={draft}
          aria-describedby={running ? keysId : undefined}
          aria-autocomplete="list"
          aria-controls={picks.items.length > 0 ? picks.listId : undefined}
          aria-activedescendant={picks.items.length > 0 ? picks.optionId(picks.active) : undefined}
          onChange={(event) => {
            const { value, selectionEnd: caret } = event.target
            const { inputType = '' } = event.nativeEvent as Partial<InputEvent>
            typedAddresses.note(draft, value, { inputType, caret })
            setDraft(value)
          }}
          onSelect={picks.look}
          onBlur={picks.close}
          onPaste={onPaste}
          onKeyDown={(event) => {
            if (event.nativeEvent.isComposing || picks.onKey(event) || history.onKey(event)) return
            if (event.key === 'Escape' && running) void stop()
            if (event.key !== 'Enter' || event.shiftKey) return
            event.preventDefault()
            if (event.ctrlKey || event.metaKey) speak()
            else submit()
          }}
        />
        <div className="composer-row">
          <input
            ref={picker}
            type="file"
            multiple
            hidden
            aria-label={t.composer.filesToAttach}
            onChange={(event) => {
              void attach(event.target.files ?? [])
              event.target.value = ''
            }}
          />
          <IconButton label={t.composer.attach} onClick={() => picker.current?.click()}>
            <Paperclip />
          </IconButton>
          <ModelPicker />
          <ParamsButton />
          <ModePicker />
          <AgentPicker />
          <ComposerHint />
          {running && (
            <span id={keysId} hidden>
              {t.composer.aboutDuringRun(keyNames('Mod+Enter').join(' '))}
            </span>
          )}
          {running && ready && attachments.length === 0 && (
            <IconButton
              className="composer-steer"
              label={t.composer.steer}
              shortcut={keyNames('Mod+Enter').join(' ')}
              onClick={speak}
            >
              <CornerDownRight />
            </IconButton>
          )}
          {/* It stands where it stood, whatever is typed meanwhile. */}
          {running && (
            <IconButton
              className="composer-stop"
              label={stopping ? t.composer.stopping : t.composer.stop}
              shortcut="Esc"
              disabled={stopping}
              onClick={() => void stop()}
            >
              <Square />
            </IconButton>
          )}
          <IconButton
            className="composer-send"
            type="submit"
            label={running ? t.composer.queueIt : gone ? t.composer.sendAsNew : t.composer.send}
            shortcut="Enter"
            disabled={!ready}
          >
            {running ? <ListPlus /> : <ArrowUp />}
          </IconButton>
        </div>
      </div>
    </form>
  )
}
