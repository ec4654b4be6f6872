import { pluralize } from './plural.ts'

/** Models, the first screen and the context view. */
export const modelTexts = {
  models: {
    provider: 'Provider',
    connect: 'Connect',
    chooseProvider: 'Choose a provider',
    connected: (models: number) => `Connected. ${pluralize(models, 'model')}.`,
    startChatting: 'Start chatting',
    key: 'API key',
    off: 'off',
    pasteKey: 'Paste API key',
    test: 'Test',
    noKeyYet: 'no key',
    /** Descriptions of providers, by id. */
    offers: {
      anthropic: 'Claude models',
      deepseek: 'Chat and reasoning models',
      google: 'Gemini models, images and video',
      moonshot: 'Kimi models',
      openai: 'GPT models, images and speech',
      qwen: 'Models from Alibaba Cloud',
      vercel: 'Many providers, one key',
      xai: 'Grok models',
    } as Record<string, string>,
    unusable: 'unavailable',
    needsNoKey: 'no key needed',
    keyFromSettings: 'key saved',
    keyFromEnvironment: (name: string) => `key from ${name}`,
    foundLocally: 'found on this computer',
    count: (number: number) => pluralize(number, 'model'),
    answered: (_time: string) => 'Connected.',
    works: (models: number, _time: string) => `Connected. ${pluralize(models, 'model')} found.`,
    picked: (name: string, scripted: boolean) => `Model: ${name}${scripted ? ' scripted, not an AI' : ''}`,
    none: 'none',
    noModel: 'No model',
    scripted: 'scripted, not an AI',
    choose: 'Choose a model',
    add: 'Connect a model…',
    search: 'Search models',
    searchOrType: 'Search, or type a model ID',
    useTyped: (id: string) => `Use “${id}”`,
    typedAt: (provider: string) => `with ${provider}`,
    list: 'Models',
    window: (tokens: string) => `${tokens} context`,
    price: (input: number, output: number) => `$${input} in, $${output} out per million tokens`,
    noProvider: 'No provider has a key yet.',
    noResults: 'No results.',
    /** Display names of model tags that need one. */
    tags: {} as Record<string, string>,
  },
  firstRun: {
    title: 'Models on this computer',
    inUse: 'in use',
    tryDemo: 'Try the demo',
    add: 'Connect another',
    /** Suggestions for the open folder. The text is sent to the model. */
    folder: {
      explain: { text: 'Explain this project', detail: 'What it does, how it is built, where to start' },
      fixTest: { text: 'Find and fix a failing test', detail: 'Runs the tests and repairs the first failure' },
      review: { text: 'Review my latest changes', detail: 'Looks for bugs, gaps and unclear code' },
      chart: {
        text: (file: string) => `Chart the data in ${file}`,
        detail: 'Reads the file and draws what stands out',
      },
      summarize: { text: 'Summarize these documents', detail: 'One page with the main points of each' },
      tidy: { text: 'Suggest how to organize this folder', detail: 'Proposes a structure and moves nothing yet' },
      plan: { text: 'Plan my week', detail: 'Asks what matters and makes a plan' },
      research: { text: 'Research a topic on the web', detail: 'Compares sources and cites them' },
      write: { text: 'Help me write something', detail: 'A letter, a post or a first draft' },
      compare: { text: 'Compare two options for me', detail: 'Two agents argue, you decide' },
    },
  },
}

export type ModelTexts = typeof modelTexts
