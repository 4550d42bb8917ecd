/// Whether and how devices are paired, before anything else. The names are those of manifests and family files.
package enum PairingDemand: String, Hashable, Sendable, CaseIterable {
  case unneeded = "none"
  /// By Just Works, once a device has shown that it demands that.
  case ifAsked = "if_asked"
  case justWorks = "just_works"
  /// With the passkey on the device's label.
  case passkey
}
