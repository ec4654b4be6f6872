import { MessageCircleQuestion } from 'lucide-react'
import { lazy, type ReactNode, Suspense } from 'react'
import { isRecord, textIn } from '../../api/read-fields.ts'
import { Markdown } from '../../content/markdown.tsx'
import { ValueView, WebLink } from '../../displays/parts/display-parts.tsx'
import { t } from '../../texts/t.ts'
import { Group, VisibleText } from '../../ui/elements.tsx'
import { AnswerForm, type AskFormProps, PlanForm, QuestionForm, readQuestions } from './ask-forms.tsx'
import './ask-part.css'

const FormAsk = lazy(() => import('./form-ask.tsx').then(({ FormAsk }) => ({ default: FormAsk })))

/** Open ask with its answer form. Works anywhere, because it reads no stream. `refusal`: why the person cannot answer. */
export function OpenAsk({ refusal, ...props }: AskFormProps & { refusal?: string | undefined }) {
  const { ask } = props
  if (refusal !== undefined)
    return (
      <AskFrame title={ask.title} open>
        <AskContent content={ask.content} />
        <p className="tool-remark">{refusal}</p>
      </AskFrame>
    )
  if (ask.kind === 'question' && isRecord(ask.content) && isRecord(ask.content['form'])) {
    return (
      <AskFrame title={ask.title} open>
        <Suspense fallback={<p className="tool-remark">{t.previews.loading}</p>}>
          <FormAsk {...props} />
        </Suspense>
      </AskFrame>
    )
  }
  const questions = ask.kind === 'question' ? readQuestions(ask.content) : []
  // Link that the user is asked to visit. It never opens by itself.
  const link = isRecord(ask.content) ? textIn(ask.content['link']) : undefined
  return (
    <AskFrame title={ask.title} untitled={questions.length === 1} open>
      {link !== undefined && (
        <p className="tool-remark">
          <WebLink url={link} text={link} />
        </p>
      )}
      {questions.length > 0 ? <QuestionForm {...props} questions={questions} /> : <AskContent content={ask.content} />}
      {ask.kind === 'question' && questions.length === 0 && <AnswerForm {...props} />}
      {ask.kind === 'plan' && <PlanForm {...props} />}
    </AskFrame>
  )
}

interface AskFrameProps {
  title: string
  /** True if the content already shows the title. */
  untitled?: boolean
  open?: boolean
  children: ReactNode
}

export function AskFrame({ title, untitled = false, open = false, children }: AskFrameProps) {
  return (
    <Group
      className={open ? 'ask ask-open' : 'ask'}
      label={title}
      {...(open && { tabIndex: -1, 'data-focus-home': '' })}
    >
      {!untitled && (
        <h4 className="ask-title">
          <MessageCircleQuestion aria-hidden />
          <VisibleText text={title} />
        </h4>
      )}
      {children}
    </Group>
  )
}

export function AskContent({ content }: { content: unknown }) {
  const text = isRecord(content) ? content['plan'] : content
  if (typeof text === 'string') return <Markdown text={text} done />
  return content === undefined || content === null ? null : <ValueView value={content} />
}
