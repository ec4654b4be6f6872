import { type Feedback, feedbackReasons, type FeedbackReason } from '@troupe/protocol'
import { Popover } from 'radix-ui'
import { type RefObject, useId, useState } from 'react'
import '../../texts/show-late.ts'
import { t } from '../../texts/t.ts'
import { Button } from '../../ui/button.tsx'
import { Group } from '../../ui/elements.tsx'
import { useSessionStore } from '../session/session-context.ts'
import './feedback-form.css'

interface FeedbackFormProps {
  messageId: string
  feedback: Feedback
  anchor: RefObject<HTMLButtonElement | null>
  onClose: () => void
}

/** Asks why the answer is good or bad. Everything is optional, since the rating itself is already stored. */
export function FeedbackForm({ messageId, feedback, anchor, onClose }: FeedbackFormProps) {
  const { rate } = useSessionStore()
  const { rating } = feedback
  const [reasons, setReasons] = useState<readonly FeedbackReason[]>(feedback.reasons)
  const [text, setText] = useState(feedback.text ?? '')
  const titleId = useId()
  const toggle = (reason: FeedbackReason) =>
    setReasons(reasons.includes(reason) ? reasons.filter((one) => one !== reason) : [...reasons, reason])
  const save = () => {
    onClose()
    void rate(messageId, { rating, reasons: [...reasons], text: text.trim() === '' ? undefined : text })
  }
  return (
    <Popover.Root open onOpenChange={onClose}>
      <Popover.Anchor virtualRef={anchor as RefObject<HTMLButtonElement>} />
      <Popover.Portal>
        <Popover.Content
          className="feedback-form"
          side="top"
          align="start"
          sideOffset={6}
          collisionPadding={10}
          aria-labelledby={titleId}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            anchor.current?.focus()
          }}
        >
          <form
            onSubmit={(event) => {
              event.preventDefault()
              save()
            }}
          >
            <h3 id={titleId}>{rating === 'up' ? t.feedbackForm.whyGood : t.feedbackForm.whyBad}</h3>
            <Group className="feedback-reasons" label={t.feedbackForm.reasons}>
              {feedbackReasons[rating].map((reason) => (
                <button
                  key={reason}
                  type="button"
                  aria-pressed={reasons.includes(reason)}
                  onClick={() => toggle(reason)}
                >
                  {t.feedbackForm.reason[reason]}
                </button>
              ))}
            </Group>
            <textarea
              aria-label={t.feedbackForm.text}
              placeholder={t.feedbackForm.text}
              dir="auto"
              rows={2}
              maxLength={4000}
              value={text}
              onChange={(event) => setText(event.target.value)}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
                event.preventDefault()
                save()
              }}
            />
            <p>{t.feedbackForm.stays}</p>
            <div className="feedback-actions">
              <Button
                kind="quiet"
                onClick={() => {
                  onClose()
                  void rate(messageId, null)
                }}
              >
                {t.feedbackForm.remove}
              </Button>
              <Button type="submit" kind="primary">
                {t.feedbackForm.save}
              </Button>
            </div>
          </form>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
