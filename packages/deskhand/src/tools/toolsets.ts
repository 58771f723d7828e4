export const TOOLSETS = ['ui', 'gui', 'script', 'python', 'avis', 'desktop', 'op', 'input'] as const
export type Toolset = (typeof TOOLSETS)[number]
