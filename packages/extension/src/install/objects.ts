import type { KubeObject } from '@vireo/api';
import { ACTIONS } from '../actions/table.ts';
import { RULES } from '../admission/rules.ts';
import {
  AUTHENTICATION_READER,
  OWN_ROLE,
  OWN_ROLE_BINDING,
  ROLE_BINDING,
  roleFor,
  SERVICE_ACCOUNT,
} from '../identity.ts';
import { apiServices, type Reached } from './apiServices.ts';
import { nodePolicies } from './nodePolicies.ts';
import { userRoles } from './userRoles.ts';
import { webhookConfigurations } from './webhookConfigurations.ts';

/**
 * What a server needs to hold so that the extension is asked, in the order in which to create it. How it is reached
 * need not be said in one process with the server.
 */
export const installObjects = (reached: Reached = {}): KubeObject[] => [
  SERVICE_ACCOUNT,
  roleFor(ACTIONS),
  ROLE_BINDING,
  OWN_ROLE,
  OWN_ROLE_BINDING,
  AUTHENTICATION_READER,
  ...userRoles(ACTIONS),
  ...nodePolicies(),
  ...apiServices(reached),
  ...webhookConfigurations(RULES, reached),
];
