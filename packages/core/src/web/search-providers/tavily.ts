import { z } from 'zod'
import type { SearchProvider } from '../search-provider.ts'

const answer = z.object({
  results: z.array(
    z.object({
      title: z.string().nullish(),
      url: z.string(),
      content: z.string().nullish(),
      published_date: z.string().nullish(),
    }),
  ),
})

const tavily: SearchProvider = {
  baseURL: 'https://api.tavily.com',
  needsKey: true,
  request: ({ query, maxResults, domains }, apiKey) => ({
    url: '/search',
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, max_results: maxResults, include_domains: domains.length > 0 ? domains : undefined }),
  }),
  results: (given) =>
    answer.parse(given).results.map(({ title, url, content, published_date: date }) => ({
      title: title ?? '',
      url,
      text: content ?? '',
      date: date || undefined,
    })),
}

export default tavily
