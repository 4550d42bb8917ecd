package import Bluetooth
import Model

/// The findings that follow from the facts; pure. A fact that could not be read is reported as unknown, with
/// the reason.
package struct Diagnosis: Sendable {
  let host: HostFacts
  /// Nil if the bus was not asked.
  var radio: RadioFacts?
  /// Nil without a manifest.
  var building: BuildingFacts?
  /// The other host that it is about; nil for this computer.
  var name: HostName?

  package init(
    host: HostFacts, radio: RadioFacts? = nil, building: BuildingFacts? = nil, name: HostName? = nil
  ) {
    (self.host, self.radio, self.building, self.name) = (host, radio, building, name)
  }

  /// All findings, by topic: the service, the adapters, the other hosts, the computer, the building.
  package var findings: [Finding] {
    service + adapters + (radio?.hosts ?? []).flatMap(findings) + computer + needs
  }

  /// The warnings and errors for `apply` that need only files.
  var beforeRun: [Finding] {
    (daemonFindings + configurationFindings + [clock, storage].compactMap(\.self))
      .filter { $0.severity == .warning || $0.severity == .error }
  }

  /// The facts about Bluetooth; nil if they belong to another computer.
  var bluetooth: BluetoothFacts? { host.bluetooth.value }

  /// The adapters of this host that BlueZ has.
  var items: [RadioFacts.Item] { radio?.adapters.filter { $0.adapter.id.host == name } ?? [] }

  /// The kernel's facts about an adapter.
  func controller(_ adapter: Adapter) -> ControllerFacts? {
    bluetooth?.controllers.first { $0.name == adapter.nameOnHost }
  }
}
