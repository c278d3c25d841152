import { serveTasks } from './io/taskServer';
import { tasks } from './tasks';

serveTasks(tasks);
