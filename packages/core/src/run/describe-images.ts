import type { DataParts } from '@troupe/protocol'
import { applyCompactions } from '../prompt/apply-compactions.ts'
import { descriptionsIn } from '../prompt/project.ts'
import { imagesIn } from '../prompt/prompt-blocks.ts'
import type { Answer } from '../tool/asks.ts'
import type { DescribedImage, Vision, VisionChat } from '../tool/services.ts'
import { askId } from './call-context.ts'
import type { Turn } from './turn.ts'

/** Maximum images described before one model call. The newest come first. */
const maxImages = 20

/**
 * Lets a model with vision describe the images of the conversation, if the user allows it. Each description is stored
 * in the answer, so it is written once, and the projection stays pure. A failure is stored too and does not end the run.
 */
export async function describeImages(turn: Turn): Promise<void> {
  const { input } = turn
  const { vision } = input
  const images = undescribedImages(turn)
  if (vision === undefined || images.length === 0) return
  const at = { sessionId: input.session.id, chatModel: input.model.id, folder: input.workspace.path }
  const offer = await vision.offer(at)
  if (offer === undefined || offer.allowed === 'no') return
  if (offer.allowed === 'ask' && !(await isAllowed(turn, vision, at, { model: offer.model, count: images.length })))
    return
  for (const image of images) {
    const description = await describe(turn, vision, at, { image, model: offer.model })
    turn.emit({ type: 'data-image-description', id: `description-${image.sha256}`, data: description })
  }
  await input.log.sync()
}

/** Retries failures of earlier answers, but not of this one. */
function undescribedImages({ input, fold }: Turn): DescribedImage[] {
  const answer = fold.snapshot()
  const earlier = descriptionsIn(input.history)
  const own = descriptionsIn([answer])
  return imagesIn(applyCompactions([...input.history, answer]))
    .filter(({ sha256 }) => !own.has(sha256) && isMissing(earlier.get(sha256)))
    .slice(-maxImages)
}

function isMissing(description: DataParts['image-description'] | undefined): boolean {
  return description === undefined || description.problem !== undefined
}

async function describe(
  { input }: Turn,
  vision: Vision,
  at: VisionChat,
  { image, model }: { image: DescribedImage; model: string },
): Promise<DataParts['image-description']> {
  try {
    const described = await vision.describe(image, at, input.signal)
    input.meter?.add({ tokens: described.tokens, cost: described.cost })
    return { ...image, model: described.model, text: described.text }
  } catch (error) {
    input.signal.throwIfAborted()
    return { ...image, model, text: '', problem: error instanceof Error ? error.message : String(error) }
  }
}

const toolCallId = 'describe-images'
const choices = { chat: 'Describe in this chat', always: 'Always describe', never: 'Do not describe' } as const

/**
 * Asks the person once per chat. Only a page is asked: for other programs, a run that waits for an answer to a
 * question they never had would be a broken one.
 */
async function isAllowed(
  turn: Turn,
  vision: Vision,
  at: VisionChat,
  { model, count }: { model: string; count: number },
): Promise<boolean> {
  const { input, log } = turn
  if (input.mode?.get() === 'bypass') return true
  if (input.headless === true || input.client === undefined) return false
  const images = count === 1 ? 'an image' : `${count} images`
  const question = `${input.model.id} cannot see images. May ${model} describe ${images} for it?`
  const questions = [
    {
      question,
      header: 'Image descriptions',
      multiSelect: false,
      options: [
        { label: choices.chat, description: 'The images are sent to its provider, which may charge for this.' },
        { label: choices.always, description: 'Also in other chats. You can change this in the settings.' },
        { label: choices.never, description: 'In this chat, the model gets only the names and facts of images.' },
      ],
    },
  ]
  const toolName = 'DescribeImages'
  const id = askId(input.runId, toolCallId, 0)
  const content = { questions }
  turn.emit({ type: 'data-ask', id, data: { id, kind: 'question', toolCallId, toolName, title: question, content } })
  await log.sync()
  let answered: (() => void) | undefined
  try {
    const answer = await input.asks.ask(
      {
        id,
        kind: 'question',
        sessionId: input.session.id,
        runId: input.runId,
        agentPath: input.frames.map((frame) => frame.name),
        agentId: input.frames.at(-1)?.agentId,
        toolCallId,
        toolName,
        input: {},
        title: question,
        content,
        reason: question,
        rule: null,
        client: input.client,
        tab: input.tab,
        createdAt: Date.now(),
        closedAt: null,
        answer: null,
      },
      input.signal,
      () => (answered = turn.waiting()),
    )
    turn.emit({ type: 'data-ask-answer', id, data: { id, toolCallId, answer } })
    const choice = choiceIn(answer)
    if (choice !== undefined) await vision.remember(at, choice)
    return choice === 'chat' || choice === 'always'
  } finally {
    answered?.()
  }
}

/** Undefined if the user declined to answer, or wrote something else. */
function choiceIn(answer: Answer): keyof typeof choices | undefined {
  const given = answer.type === 'answers' ? JSON.stringify(Object.values(answer.answers)) : ''
  return (['always', 'never', 'chat'] as const).find((name) => given.includes(JSON.stringify(choices[name])))
}
