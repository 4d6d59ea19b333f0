import { architectureOf } from '../architecture.ts';
import { gateClosedText, type Rule, when } from './rule.ts';

/** Guests that are protected from their host: one way, with its gate, on UEFI without secure boot. */
export const launchSecurity: Rule = ({ spec, path, config }) => {
  const given = spec.domain.launchSecurity;
  if (!given) return [];
  const field = `${path}.domain.launchSecurity`;
  const architecture = architectureOf(spec, config);
  const efi = spec.domain.firmware?.bootloader?.efi;
  const { sev, snp, tdx } = given;
  const word = tdx ? 'TDX' : snp ? 'SEV-SNP' : 'SEV';
  const gate = tdx ? 'WorkloadEncryptionTDX' : 'WorkloadEncryptionSEV';
  if (architecture === 's390x') {
    return when(!config.gates.has('SecureExecution'), field, gateClosedText('SecureExecution'));
  }
  if (architecture !== 'amd64') return when(true, field, `launch security is not supported on ${architecture}`);
  const bootable = (spec.domain.devices?.interfaces ?? []).filter(({ bootOrder }) => bootOrder !== undefined);
  return [
    ...when([sev, snp, tdx].filter(Boolean).length !== 1, field, 'One and only one launch security type should be set'),
    ...when(!config.gates.has(gate), field, gateClosedText(gate)),
    ...when(!efi, field, `${word} requires OVMF (UEFI)`),
    ...when(efi && efi.secureBoot !== false && !tdx, field, `${word} does not work along with SecureBoot`),
    ...when(
      sev?.attestation && spec.startStrategy !== 'Paused',
      field,
      "SEV attestation requires VMI StartStrategy 'Paused'",
    ),
    ...bootable.flatMap(({ name }) => when(!tdx, field, `${word} does not work with bootable NICs: ${name}`)),
  ];
};
