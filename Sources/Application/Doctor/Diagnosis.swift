/// The findings that follow from the facts; pure. A fact that could not be read is reported as unknown, with
/// the reason.
package struct Diagnosis: Sendable {
  let host: HostFacts
  /// Nil if the bus was not asked.
  var radio: RadioFacts?
  /// Nil without a manifest.
  var building: BuildingFacts?

  package init(host: HostFacts, radio: RadioFacts? = nil, building: BuildingFacts? = nil) {
    (self.host, self.radio, self.building) = (host, radio, building)
  }

  /// All findings, by topic: the service, the adapters, the computer, the building.
  package var findings: [Finding] {
    service + adapters + computer + needs
  }

  /// The warnings and errors for `apply` that need only files.
  var beforeRun: [Finding] {
    (daemonFindings + configurationFindings + [clock, storage].compactMap(\.self))
      .filter { $0.severity == .warning || $0.severity == .error }
  }

  /// The facts about Bluetooth; nil if they belong to another computer.
  var bluetooth: BluetoothFacts? { host.bluetooth.value }

  /// The kernel's facts about an adapter.
  func controller(_ name: String) -> ControllerFacts? {
    bluetooth?.controllers.first { $0.name == name }
  }
}
