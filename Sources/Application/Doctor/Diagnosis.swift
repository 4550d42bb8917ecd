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

  var service: [Finding] { Self.serviceChecks.findings(in: self) }

  private var computer: [Finding] { Self.computerChecks.findings(in: self) }

  private var needs: [Finding] {
    guard let building else { return [] }
    return Self.buildingChecks.findings(in: (building, self))
  }

  var adapters: [Finding] {
    guard radio != nil else { return [] }
    return listed.flatMap { Self.adapterChecks.findings(in: ($0, self)) }
      + Self.radioChecks.findings(in: self)
  }

  /// The warnings and errors for `apply` that need only files. Where a run can begin, the kernel has not failed.
  var beforeRun: [Finding] {
    (Self.serviceChecks + Self.computerChecks).filter { $0.code != "kernel" }.findings(in: self)
      .filter(\.isProblem)
  }

  /// The facts about Bluetooth; nil if they belong to another computer.
  var bluetooth: BluetoothFacts? { host.bluetooth.value }

  /// How bad an adapter is that cannot be used: only a warning if another one can.
  var unusable: Finding.Severity { radio?.ready.isEmpty == false ? .warning : .error }

  /// The adapters of this host that BlueZ has, with what the kernel and the manifest know of them.
  var listed: [RadioFacts.Item] {
    (radio?.adapters ?? []).filter { $0.adapter.id.host == name }.map { item in
      let kernel = bluetooth?.controllers.first { $0.name == item.adapter.nameOnHost }
      var item = item
      item.adapter.hardware = kernel?.hardware ?? item.adapter.hardware
      item.block = RadioBlock(item.adapter.state, kernel: kernel?.block)
      item.description = building?.building.description(of: item.adapter)
      return item
    }
  }
}
