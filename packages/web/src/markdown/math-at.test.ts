import { expect, test } from 'vitest'
import { mathAt } from './marked-options.ts'

test.each([
  ['$x$ is', 'x', false],
  ['$E = mc^2$.', 'E = mc^2', false],
  ['$a_{1} + b$, so', 'a_{1} + b', false],
  ['$n + 1$ of', 'n + 1', false],
  [String.raw`$\text{costs \$5}$`, String.raw`\text{costs \$5}`, false],
  ['$$\nx^2\n$$', 'x^2', true],
  [String.raw`\(a\) and`, 'a', false],
  [String.raw`\[ \frac{1}{2} \] end`, String.raw`\frac{1}{2}`, true],
])('%j begins with a formula', (text, tex, display) => {
  expect(mathAt(text)).toMatchObject({ tex, display })
})

test.each([
  '$5 and $10',
  '$5 and 10$ more',
  '$5',
  '$ x $',
  '$5.00 - that is it, 6$',
  '$100-$200',
  '$$',
  '$PATH and $HOME',
  String.raw`\[link\]`,
  String.raw`\(see there\)`,
  '$a\nb$',
  `$${'x'.repeat(6000)}$`,
])('%j does not', (text) => {
  expect(mathAt(text)).toBeUndefined()
})
