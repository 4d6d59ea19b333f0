import { hypervisorContract } from './testing/contract.ts';

hypervisorContract('kvm');
hypervisorContract('qemu');
hypervisorContract('hyperv-layered', { architectures: ['amd64', 'arm64'] });
hypervisorContract('stub');
