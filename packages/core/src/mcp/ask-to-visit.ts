import type { ElicitResult } from '@modelcontextprotocol/client'
import { readAnswers } from '../protocol/read-answers.ts'
import type { ActiveMcpCall } from './active-calls.ts'

const openLabel = 'I will open it'
const maxUrlLength = 1500

/**
 * A server wants the person to go to an address, for a login or a payment. They are shown where it leads; nothing is
 * opened for them, and nothing is fetched from it. Throws where nobody should go there.
 */
export async function askToOpenUrl(
  server: string,
  { message, url }: { message: string; url: string },
  call: Pick<ActiveMcpCall, 'ask'>,
): Promise<ElicitResult> {
  const link = checked(url)
  const why = message.toWellFormed().replace(/\s+/g, ' ').trim().slice(0, 300) || 'It does not say why.'
  const questions = [
    {
      question: `${why}\n\nThis leads to ${link.host}:\n${link.href}`,
      header: 'Address',
      options: [
        { label: openLabel, description: 'Nothing opens by itself: copy the address into your browser.' },
        { label: 'Refuse', description: 'The server is told that you do not want to go there.' },
      ],
      multiSelect: false,
    },
  ]
  const answer = await call.ask({
    kind: 'question',
    title: `The MCP server "${server}" wants you to open an address at ${link.host}`,
    content: { questions, link: link.href },
  })
  if (answer.type !== 'answers') return { action: 'decline' }
  const said = readAnswers(questions, answer.answers)
  return { action: typeof said !== 'string' && said[0]?.selected[0] === openLabel ? 'accept' : 'decline' }
}

function checked(given: string): URL {
  const url = URL.parse(given)
  if (url === null || given.length > maxUrlLength) throw new Error('the address cannot be read, or is too long')
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLocal))
    throw new Error('people are sent to https addresses only')
  if (url.username !== '' || url.password !== '')
    throw new Error('an address with a name or password in it is not shown')
  return url
}
