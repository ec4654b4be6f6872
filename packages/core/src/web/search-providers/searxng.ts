import { z } from 'zod'
import { withSites, type SearchProvider } from '../search-provider.ts'

const answer = z.object({
  results: z.array(
    z.object({
      title: z.string().nullish(),
      url: z.string(),
      content: z.string().nullish(),
      publishedDate: z.string().nullish(),
    }),
  ),
})

const searxng: SearchProvider = {
  needsKey: false,
  request: ({ query, domains }, apiKey) => ({
    url: `/search?${new URLSearchParams({ q: withSites(query, domains), format: 'json' }).toString()}`,
    method: 'GET',
    headers: (apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }) as Record<string, string>,
  }),
  results: (given) =>
    answer.parse(given).results.map(({ title, url, content, publishedDate }) => ({
      title: title ?? '',
      url,
      text: content ?? '',
      date: publishedDate || undefined,
    })),
  advice: (status) =>
    status === 403
      ? 'The instance must allow JSON: "formats: [html, json]" under "search" in its settings.yml.'
      : undefined,
}

export default searxng
