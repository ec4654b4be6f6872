import { z } from 'zod'
import { withSites, type SearchProvider } from '../search-provider.ts'

const answer = z.object({
  web: z
    .object({
      results: z.array(
        z.object({ title: z.string(), url: z.string(), description: z.string().nullish(), age: z.string().nullish() }),
      ),
    })
    .optional(),
})

const brave: SearchProvider = {
  baseURL: 'https://api.search.brave.com/res/v1',
  needsKey: true,
  request: ({ query, maxResults, domains }, apiKey) => ({
    url: `/web/search?${new URLSearchParams({ q: withSites(query, domains), count: String(Math.min(maxResults, 20)) }).toString()}`,
    method: 'GET',
    headers: { 'x-subscription-token': apiKey },
  }),
  results: (given) =>
    (answer.parse(given).web?.results ?? []).map(({ title, url, description, age }) => ({
      title,
      url,
      text: description ?? '',
      date: age || undefined,
    })),
}

export default brave
