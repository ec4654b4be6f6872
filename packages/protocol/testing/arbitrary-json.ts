import fc from 'fast-check'

/** Any UTF-16 text: letters, emoji, control characters, occasionally a lone surrogate. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 12 }) },
  { weight: 3, arbitrary: fc.string({ unit: 'grapheme', maxLength: 8 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', ' ', '\n\n', '"', '\\', '</skill>', 'tru', '-', '1e', '{"a":', '\ud83d', '\ude00x'),
  },
)

const key = fc
  .oneof(fc.constantFrom('a', 'b', 'path', 'a"b', ''), fc.string({ maxLength: 4 }))
  .filter((name) => name !== '__proto__' && !name.includes('\\'))

/**
 * Any JSON value except with the key `__proto__`, which the AI SDK refuses, and keys with a backslash: after an object
 * with the key `\`, V8's `JSON.parse` reads the key `"` as `\` too. Both have their own tests.
 */
export const anyJson: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown; object: Record<string, unknown> }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(fc.constantFrom(null, true, false, 0, -1, 1.5, 1e21, -2e-7), fc.integer(), anyText),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true }),
})).value

export const anyJsonObject = fc.dictionary(key, anyJson, { maxKeys: 3, noNullPrototype: true })

/** Objects without escaped keys and exponents, which the AI SDK's partial parser gets wrong. */
export const anyInput = fc.dictionary(
  fc.constantFrom('path', 'content', 'n', 'list'),
  fc.oneof(anyText, fc.integer(), fc.constantFrom(true, false, null, 1.25), fc.array(fc.integer(), { maxLength: 3 })),
  { maxKeys: 3, noNullPrototype: true },
)
