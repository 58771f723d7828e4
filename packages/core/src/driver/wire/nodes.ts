import { type FlatNode, PlatformIds, States } from '../../model/index.ts'
import { isObject } from './frame.ts'

/** What `FlatNode` says, checked by hand: 10,000 nodes take about 2 ms, their schema 40. Fields it does not know are left alone. */
export function isFlatNode(node: unknown): node is FlatNode {
  return (
    isObject(node) &&
    isString(node['key']) &&
    isOptionalString(node['parent']) &&
    Number.isFinite(node['index']) &&
    isString(node['app']) &&
    isOptionalString(node['driver']) &&
    isString(node['role']) &&
    isOptionalString(node['name']) &&
    isOptionalString(node['value']) &&
    isOptionalString(node['description']) &&
    (node['bounds'] === undefined || isRect(node['bounds'])) &&
    (node['states'] === undefined || isEvery(node['states'], isState)) &&
    (node['platformIds'] === undefined || isEvery(node['platformIds'], isPlatformId)) &&
    (node['patterns'] === undefined || isEvery(node['patterns'], isBoolean)) &&
    (node['actions'] === undefined || (Array.isArray(node['actions']) && node['actions'].every(isString))) &&
    (node['shortcuts'] === undefined || (Array.isArray(node['shortcuts']) && node['shortcuts'].every(isString))) &&
    (node['attributes'] === undefined || isEvery(node['attributes'], isAttribute))
  )
}

const STATES: ReadonlySet<string> = new Set(Object.keys(States.shape))
const PLATFORM_IDS: ReadonlySet<string> = new Set(Object.keys(PlatformIds.shape))

const isString = (v: unknown): v is string => typeof v === 'string'
const isBoolean = (v: unknown): v is boolean => typeof v === 'boolean'
const isOptionalString = (v: unknown): boolean => v === undefined || typeof v === 'string'
const isState = (v: unknown, name: string): boolean =>
  v === undefined || isBoolean(v) || (name === 'checked' && v === 'mixed') || !STATES.has(name)
const isPlatformId = (v: unknown, name: string): boolean => isOptionalString(v) || !PLATFORM_IDS.has(name)
const isAttribute = (v: unknown): boolean => isString(v) || isBoolean(v) || Number.isFinite(v)

function isRect(v: unknown): boolean {
  return isObject(v) && Number.isFinite(v['x']) && Number.isFinite(v['y']) && Number.isFinite(v['w']) && Number.isFinite(v['h'])
}

function isEvery(v: unknown, check: (value: unknown, name: string) => boolean): boolean {
  if (!isObject(v)) return false
  for (const name in v) if (!check(v[name], name)) return false
  return true
}
