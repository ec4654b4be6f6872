import { ArrowUp, CornerDownRight, Paperclip, Square } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { AgentPicker } from '../agents/agent-picker.tsx'
import { AsksBelow } from '../inbox/asks-below.tsx'
import { PickList } from '../composer-picks/pick-list.tsx'
import { usePicks } from '../composer-picks/use-picks.ts'
import { ModelPicker } from '../models/model-picker.tsx'
import { ModePicker } from '../modes/mode-picker.tsx'
import { currentMode, nextMode } from '../modes/session-mode.ts'
import { GrowingTextarea } from '../ui/growing-textarea.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { AttachmentChips } from './attachment-chips.tsx'
import { fileParts } from './attachments.ts'
import { useApp, useWorkspace } from '../workspace.ts'
import { useSession, useSessionStore } from './session-context.ts'
import { isWaiting } from './session-state.ts'
import { useBlocked } from './use-blocked.ts'
import { useFileDrop } from './use-file-drop.ts'
import './composer.css'

/** Enter sends; while a run is on it speaks to that run, and Escape stops it. Shift and Tab go to the next mode. */
export function Composer() {
  const { setDraft, attach, send, steer, stop, sessionId } = useComposer()
  const draft = useSession((state) => state.draft)
  const running = useSession((state) => state.run !== null)
  const stopping = useSession((state) => state.run?.stopAskedAt != null)
  const waiting = useSession((state) => isWaiting(state.run))
  const gone = useSession((state) => state.phase === 'missing')
  const blocked = useBlocked()
  const { app, sendAsNew } = useWorkspace()
  const mode = useApp(currentMode)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    // On a phone the focus would bring up the keyboard over half of the page.
    if (window.matchMedia('(pointer: fine)').matches) field.current?.focus()
  }, [sessionId])
  const picks = usePicks(field, draft, setDraft)
  const attachments = useSession((state) => state.attachments)
  const picker = useRef<HTMLInputElement>(null)
  const dropping = useFileDrop(attach)
  const uploaded = attachments.every(({ url }) => url !== null)
  const hasFiles = !running && attachments.length > 0
  const ready = (draft.trim() !== '' || hasFiles) && (running || uploaded) && blocked === null

  const submit = () => {
    if (!ready) return
    if (gone) {
      setDraft('')
      sendAsNew(draft, fileParts(attachments))
    } else void (running ? steer(draft) : send(draft, fileParts(attachments)))
    field.current?.focus()
  }

  return (
    <form
      className={dropping ? 'composer composer-dropping' : 'composer'}
      data-mode={mode}
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <AsksBelow />
      {blocked !== null && <output className="composer-blocked">{blocked}</output>}
      <div className="composer-box">
        <PickList picks={picks} />
        <AttachmentChips />
        <GrowingTextarea
          ref={field}
          aria-label={running ? 'Say something to the running answer' : 'Message'}
          placeholder={running ? 'Say something meanwhile …' : 'Message Troupe …'}
          value={draft}
          aria-autocomplete="list"
          aria-controls={picks.items.length > 0 ? picks.listId : undefined}
          aria-activedescendant={picks.items.length > 0 ? picks.optionId(picks.active) : undefined}
          onChange={(event) => setDraft(event.target.value)}
          onSelect={picks.look}
          onBlur={picks.close}
          onPaste={(event) => {
            if (event.clipboardData.files.length === 0) return
            event.preventDefault()
            void attach(event.clipboardData.files)
          }}
          onKeyDown={(event) => {
            if (event.nativeEvent.isComposing || picks.onKey(event)) return
            if (event.key === 'Escape' && running) void stop()
            if (event.key === 'Tab' && event.shiftKey) {
              event.preventDefault()
              void app.chooseMode(nextMode(mode))
            }
            if (event.key !== 'Enter' || event.shiftKey) return
            event.preventDefault()
            submit()
          }}
        />
        <div className="composer-row">
          <input
            ref={picker}
            type="file"
            multiple
            hidden
            aria-label="Files to attach"
            onChange={(event) => {
              void attach(event.target.files ?? [])
              event.target.value = ''
            }}
          />
          <IconButton label="Attach files" onClick={() => picker.current?.click()}>
            <Paperclip />
          </IconButton>
          <ModelPicker />
          <ModePicker />
          <AgentPicker />
          <span className="composer-hint" aria-hidden>
            {gone ? 'Sends as a new session' : waiting ? 'Waiting for your decision above' : running ? 'Esc stops' : ''}
          </span>
          {running && (
            <IconButton
              className="composer-stop"
              label={stopping ? 'Stopping …' : 'Stop'}
              shortcut="Esc"
              disabled={stopping}
              onClick={() => void stop()}
            >
              <Square />
            </IconButton>
          )}
          {(!running || ready) && (
            <IconButton
              className="composer-send"
              type="submit"
              label={running ? 'Say it to the running answer' : gone ? 'Send as a new session' : 'Send'}
              shortcut="Enter"
              disabled={!ready}
            >
              {running ? <CornerDownRight /> : <ArrowUp />}
            </IconButton>
          )}
        </div>
      </div>
    </form>
  )
}

function useComposer() {
  const store = useSessionStore()
  const sessionId = useSession((state) => state.sessionId)
  return { ...store, sessionId }
}
