import path from 'node:path'
import {
  findTool,
  type GeneratedMedia,
  getBuiltinTools,
  type Media,
  resolvePath,
  type Session,
  type Tool,
  type ToolContext,
} from '@troupe/core'
import { type ChatRequest, NamedError, newId, type Part, type StoredMessage } from '@troupe/protocol'
import { messageChunks, replayEvents } from '../runs/stored-answer.ts'
import type { KeyedMutex } from '../util/concurrency.ts'
import { handOver, pickedByReply, storePick } from './compare-models.ts'
import type { ChatTurn } from './continue-answer.ts'
import {
  badRequest,
  blobsIn,
  checkAttachments,
  newMessage,
  parseUserMessage,
  resolveParent,
  storeUploads,
} from './chat-request.ts'
import { type ChatOptions, requestedSession } from './send-message.ts'

/**
 * Handles `intent: "image"`: the message is the prompt and the image is the answer. Calls no chat model and asks for no
 * approval, since the sender chose this. It is saved in `imageSaveDir`, by default `images/`. Stores nothing on failure.
 * Resending the same message returns the same answer.
 */
export async function handleImageRequest(
  request: ChatRequest,
  options: ChatOptions & { media: Media; lock: KeyedMutex },
): Promise<ChatTurn & { kind: 'replay' }> {
  const { store, blobs, runs, sessionId, workspaceId } = options
  const at = { sessionId }
  if (request.trigger !== undefined && request.trigger !== 'submit-message')
    throw badRequest('intent "image" requires a new message.')
  const session = await requestedSession(request, options)
  const message = parseUserMessage(newMessage(request) ?? {})
  await checkAttachments(message, blobs)
  const known = session === undefined ? undefined : await answerTo(message.id)
  if (known !== undefined) return turn(known)
  await runs.assertFree(sessionId)
  const parentMessageId = await resolveParent(request, at, store)
  await storeUploads(message, blobs)
  const made = await paint(message.parts)
  const answer = imageAnswer(made, message.id)
  const mode = await options.permissions.initialMode(workspaceId)
  await options.lock(sessionId, async () => {
    const picked = await pickedByReply(store, sessionId, parentMessageId)
    await store.transaction(async (inside) => {
      if ((await inside.sessions.get(sessionId)) === undefined)
        await inside.sessions.create({
          id: sessionId,
          workspaceId,
          mode,
          projectId: request.projectId ?? null,
          ownerId: options.ownerId,
        })
      const { id, parts } = message
      if (picked !== undefined) await storePick(inside, sessionId, picked)
      const metadata = options.author && { author: options.author }
      await inside.messages.add(at, { id, role: 'user', parts, parentMessageId, createdAt: Date.now(), metadata })
      await inside.messages.add(at, answer)
    })
    await options.blobScopes.attach(sessionId, [...blobsIn(message.parts), ...blobsIn(answer.parts)])
    if (picked !== undefined) await handOver(runs, sessionId, picked)
  })
  return turn(answer)

  async function turn(stored: StoredMessage): Promise<ChatTurn & { kind: 'replay' }> {
    const events =
      stored === known
        ? await replayEvents(store, sessionId, stored)
        : messageChunks(stored as never).map((chunk) => ({ chunk }))
    return { kind: 'replay', sessionId, messageId: stored.id, events }
  }

  async function answerTo(id: string): Promise<StoredMessage | undefined> {
    const stored = await store.messages.get(at, id)
    if (stored === undefined) return undefined
    const leaf = await store.messages.latestLeaf(at, id)
    const chain = leaf === undefined ? [] : await store.messages.chain(at, leaf)
    const answered = chain[chain.findIndex((one) => one.id === id) + 1]
    if (answered?.role === 'assistant') return answered
    throw badRequest(`The id ${id} belongs to another message.`)
  }

  async function paint(parts: readonly Part[]): Promise<GeneratedMedia> {
    const tool = findTool('ImageGenerate', getBuiltinTools()) as Tool
    const workspace = await store.workspaces.get(workspaceId)
    const state = options.commands.context.state({ id: sessionId } as Session, workspace as never)
    const prompt = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
    const input = tool.input.safeParse({
      prompt,
      model: request.model ?? request.chatModelId,
      save_to: saveFolder(request.imageSaveDir, state),
    })
    if (!input.success)
      throw badRequest(
        `This image cannot be generated: ${input.error.issues.map(({ message: text }) => text).join('; ')}.`,
      )
    const images = await Promise.all(
      parts.flatMap((part) => (part.type === 'file' ? [blobs.get(path.basename(part.url))] : [])),
    )
    const sources = images.filter((image) => image !== undefined)
    const media: Media = {
      ...options.media,
      // The user may name any model, including those a chat model may not choose.
      start: (asked) =>
        options.media.start({ ...asked, chatModel: undefined, images: sources.length > 0 ? sources : asked.images }),
    }
    // Context for the tool. It asks for no approval, and the client sees the result in the response.
    const call = {
      state,
      media,
      blobs,
      session: { id: sessionId },
      agent: { kind: 'master', name: 'master', depth: 0, path: ['master'] },
      chatModel: { id: '' },
      messageId: message.id,
      run: { id: newId('run_'), attempt: 1, step: 0 },
      toolCallId: newId('call_'),
      signal: AbortSignal.timeout(tool.timeout as number),
      emit: () => undefined,
    }
    try {
      return (await tool.execute(input.data, call as unknown as ToolContext)) as GeneratedMedia
    } catch (error) {
      const {
        name,
        message: text,
        data = {},
        status = 502,
      } = error as Error & Partial<Pick<NamedError, 'data' | 'status'>>
      throw new NamedError(name === 'Error' ? 'MediaFailed' : name, text, { status, data, cause: error })
    }
  }
}

/** Returns the folder with a trailing slash. Throws `BadSaveDir` if it is outside the workspace. */
function saveFolder(folder: string | undefined, state: ToolContext['state']): string | undefined {
  if (folder === undefined) return undefined
  try {
    const { path: real, stats } = resolvePath({ state }, folder, { for: 'write' })
    if (stats !== undefined && !stats.isDirectory()) throw new Error(`"${folder}" is a file, not a folder.`)
    return path.join(real, path.sep)
  } catch (error) {
    throw new NamedError('BadSaveDir', `imageSaveDir: ${(error as Error).message}`, { status: 422, cause: error })
  }
}

function imageAnswer(
  { files, model, saved, saveNotes = [], warnings }: GeneratedMedia,
  parentMessageId: string,
): StoredMessage {
  const createdAt = Date.now()
  const text = [
    `Generated by ${model}.`,
    ...(saved === undefined || saved.length === 0 ? [] : [`Saved as ${saved.join(', ')}.`]),
    ...saveNotes,
    ...warnings,
  ].join(' ')
  return {
    id: newId('msg_'),
    parentMessageId,
    role: 'assistant',
    parts: [
      ...files.map(({ url, mediaType }): Part => ({ type: 'file', url, mediaType })),
      { type: 'text', text, state: 'done' },
    ],
    metadata: { createdAt, finishReason: 'stop' },
    createdAt,
  }
}
