import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { outputSchema } from './output-schema.ts'
import type { PathOf, ValidPath, ValueAt } from './output-stream-types.ts'
import { createOutputStream } from './output-stream.ts'

interface Article {
  title: string
  subtitle?: string | undefined
  author: { name: string; address: { city: string } | null }
  items: { title: string; score: number; tags?: string[] }[]
  scores: Record<string, number>
  people: Record<string, { age: number }>
  block: { kind: 'text'; text: string } | { kind: 'image'; url: string; size: [width: number, height: number] }
  anything: unknown
  'a.b': { 'c/d': boolean }
}

/** Stands in for a method with a path parameter: paths that fail to compile here fail there too. */
function at<T>() {
  return <const P extends PathOf<T>>(path: P & ValidPath<T, P>): ValueAt<T, P> => path as unknown as ValueAt<T, P>
}

const article = at<Article>()

describe('valid paths have the type of their value', () => {
  test('fields, items and everything below', () => {
    expectTypeOf(article('title')).toEqualTypeOf<string>()
    expectTypeOf(article('author.name')).toEqualTypeOf<string>()
    expectTypeOf(article('items')).toEqualTypeOf<Article['items']>()
    expectTypeOf(article('items[0]')).toEqualTypeOf<Article['items'][number]>()
    expectTypeOf(article('items[*]')).toEqualTypeOf<Article['items'][number]>()
    expectTypeOf(article('items[0].title')).toEqualTypeOf<string>()
    expectTypeOf(article('items[*].title')).toEqualTypeOf<string>()
    expectTypeOf(article('items[12].score')).toEqualTypeOf<number>()
    expectTypeOf(article('')).toEqualTypeOf<Article>()
  })

  test('arrived values exist: optional fields lose undefined, null stays', () => {
    expectTypeOf(article('subtitle')).toEqualTypeOf<string>()
    expectTypeOf(article('items[*].tags')).toEqualTypeOf<string[]>()
    expectTypeOf(article('items[*].tags[*]')).toEqualTypeOf<string>()
    expectTypeOf(article('author.address')).toEqualTypeOf<{ city: string } | null>()
    expectTypeOf(article('author.address.city')).toEqualTypeOf<string>()
  })

  test('records by any key, and all of their keys', () => {
    expectTypeOf(article('scores.anna')).toEqualTypeOf<number>()
    expectTypeOf(article('scores.*')).toEqualTypeOf<number>()
    expectTypeOf(article('people.anna.age')).toEqualTypeOf<number>()
    expectTypeOf(article('people.*.age')).toEqualTypeOf<number>()
    expectTypeOf(article('scores["a.b"]')).toEqualTypeOf<number>()
  })

  test('unions by any of their members, tuples by position', () => {
    expectTypeOf(article('block.kind')).toEqualTypeOf<'text' | 'image'>()
    expectTypeOf(article('block.text')).toEqualTypeOf<string>()
    expectTypeOf(article('block.size[0]')).toEqualTypeOf<number>()
  })

  test('any path is valid below an untyped value', () => {
    expectTypeOf(article('anything')).toEqualTypeOf<unknown>()
    expectTypeOf(article('anything.at[3].all')).toEqualTypeOf<unknown>()
    expectTypeOf(at<unknown>()('a.b[0]')).toEqualTypeOf<unknown>()
  })

  test('keys with separators in them are quoted', () => {
    expectTypeOf(article('["a.b"]')).toEqualTypeOf<{ 'c/d': boolean }>()
    expectTypeOf(article('["a.b"]["c/d"]')).toEqualTypeOf<boolean>()
  })

  test('slash style gives the same type', () => {
    expectTypeOf(article('items/0/title')).toEqualTypeOf<string>()
    expectTypeOf(article('items/*/score')).toEqualTypeOf<number>()
    expectTypeOf(article('/author/address/city')).toEqualTypeOf<string>()
    expectTypeOf(article('items/*/tags/1')).toEqualTypeOf<string>()
    expectTypeOf(article('people/anna/age')).toEqualTypeOf<number>()
    expectTypeOf(article('scores/*')).toEqualTypeOf<number>()
    expectTypeOf(article('scores/"a.b"')).toEqualTypeOf<number>()
    expectTypeOf(article('block/size/0')).toEqualTypeOf<number>()
    expectTypeOf(article('anything/at/3')).toEqualTypeOf<unknown>()
  })

  test('lists and scalars can be the whole answer', () => {
    expectTypeOf(at<{ t: string }[]>()('[0].t')).toEqualTypeOf<string>()
    expectTypeOf(at<{ t: string }[]>()('[*]')).toEqualTypeOf<{ t: string }>()
    expectTypeOf(at<number>()('')).toEqualTypeOf<number>()
  })
})

test('invalid paths do not compile', () => {
  // @ts-expect-error no such field
  article('titel')
  // @ts-expect-error no such field of an item
  article('items[0].titel')
  // @ts-expect-error a list has items, not fields
  article('items.title')
  // @ts-expect-error an object has fields, not items
  article('author[0]')
  // @ts-expect-error a string has nothing below it
  article('title.length')
  // @ts-expect-error the record holds numbers
  article('scores.anna.age')
  // @ts-expect-error no such field in the record's values
  article('people.anna.height')
  // @ts-expect-error no member of the union has it
  article('block.href')
  // @ts-expect-error an index is a number or a star
  article('items[first]')
  // @ts-expect-error not closed
  article('items[0')
  // @ts-expect-error a separator with nothing behind it
  article('items[0].')
  // @ts-expect-error a key with a dot must be quoted
  article('a.b')
  // @ts-expect-error no such field of an item, in slash style
  article('items/0/titel')
  // @ts-expect-error a list has items, not fields
  article('items/title')
  // @ts-expect-error a string has nothing below it
  article('title/length')
  // @ts-expect-error a separator with nothing behind it
  article('items/0/')
  // @ts-expect-error one style or the other
  article('author/address.city')
  // @ts-expect-error a scalar has nothing below it
  at<number>()('a')
  expectTypeOf<
    ValueAt<Article, 'titel' | 'items[0].titel' | 'items.title' | 'author[0]' | 'title.length'>
  >().toBeNever()
  expectTypeOf<ValueAt<Article, 'scores.anna.age' | 'block.href' | 'items[first]'>>().toBeNever()
  expectTypeOf<ValueAt<Article, 'items/0/titel' | 'items/title' | 'items/0/' | 'author/address.city'>>().toBeNever()
})

interface Deep {
  a: { b: { c: { d: { e: { f: { g: { h: number } } } } } } }
  l: { l: { l: { l: { n: string }[] }[] }[] }[]
}

test('depth 8 is checked like depth 1', () => {
  const deep = at<Deep>()
  expectTypeOf(deep('a.b.c.d.e.f.g.h')).toEqualTypeOf<number>()
  expectTypeOf(deep('l[*].l[0].l[*].l[3].n')).toEqualTypeOf<string>()
  // @ts-expect-error the eighth field is h
  deep('a.b.c.d.e.f.g.i')
  // @ts-expect-error the ninth field is n
  deep('l[*].l[0].l[*].l[3].m')
})

interface Tree {
  name: string
  children: Tree[]
}

test('recursive types are supported', () => {
  const tree = at<Tree>()
  expectTypeOf(tree('children[*].children[0].children[*].name')).toEqualTypeOf<string>()
  expectTypeOf(
    tree('children[0].children[0].children[0].children[0].children[0].children[0].children[0].children[0].name'),
  ).toEqualTypeOf<string>()
  // @ts-expect-error no such field at any depth
  tree('children[*].children[0].title')
})

describe('the methods of a stream take their types from the schema', () => {
  const stream = createOutputStream({
    schema: outputSchema(
      z.object({
        summary: z.string(),
        count: z.string().transform(Number),
        items: z.array(z.object({ title: z.string(), score: z.number().default(1) })),
      }),
    ),
  })

  test('key, waitKeys and when', () => {
    stream.write('{"summary": "s", "count": "1", "items": [{"title": "t", "score": 2}]}')
    stream.close()
    expectTypeOf(stream.key('items[0].title')).toEqualTypeOf<Promise<string>>()
    expectTypeOf(stream.key('items[0].score')).toEqualTypeOf<Promise<number>>()
    expectTypeOf(stream.key('count')).toEqualTypeOf<Promise<string>>()
    expectTypeOf(stream.key('summary', { optional: true })).toEqualTypeOf<Promise<string | undefined>>()
    expectTypeOf(stream.key('else.where', { mustInPrompt: false, optional: true })).toEqualTypeOf<Promise<unknown>>()
    stream.when('items[*]', (item, { indexes }) => {
      expectTypeOf(item.title).toEqualTypeOf<string>()
      expectTypeOf(indexes).toEqualTypeOf<readonly number[]>()
    })
    expect(stream.attempt).toBe(1)
  })

  test('awaited keys are distinguished by their key', async () => {
    for await (const event of stream.waitKeys(['summary', 'items[*]'])) {
      if (event.key === 'summary') expectTypeOf(event.value).toEqualTypeOf<string>()
      else expectTypeOf(event.value.score).toEqualTypeOf<number | undefined>()
      expect(event.value).toBeDefined()
    }
  })

  test('wrong keys do not compile', () => {
    // @ts-expect-error no such field
    expect(() => stream.when('item[*]', () => undefined)).toThrow('has no "item[*]"')
    // @ts-expect-error one of them is wrong
    expect(() => stream.waitKeys(['summary', 'items[*].titel'])).toThrow('has no "items[*].titel"')
  })

  test('the result has the parsed type of the schema', async () => {
    const checked = await stream.check()
    if (checked.ok) expectTypeOf(checked.data.count).toEqualTypeOf<number>()
    expect(checked.ok && checked.data).toEqual({ summary: 's', count: 1, items: [{ title: 't', score: 2 }] })
  })
})
