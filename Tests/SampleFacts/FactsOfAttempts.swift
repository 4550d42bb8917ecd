package import Model

/// The facts that belong to an attempt and carry its number.
package let factsOfAttempts: Set<Fact.Kind> = [
  "attempt_started", "bond_intended", "stage_started", "stage_ended", "status_received", "settings_read",
  "wifi_checked", "device_described", "elapsed_sent", "setting_written", "save_submitted", "link_ended",
  "proof_received", "attempt_ended",
]
