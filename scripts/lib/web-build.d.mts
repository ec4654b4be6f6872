export function builtPage(): Promise<string>
