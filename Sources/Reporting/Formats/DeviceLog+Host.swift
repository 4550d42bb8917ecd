package import Bluetooth
import Model

extension RunReport {
  /// The host of the run and its adapters, for the head of a device log: titles and texts. One without a title continues the one
  /// before.
  var hostItems: [(title: String, text: String)] {
    guard let run else { return [] }
    let host = [run.kernel?.visible ?? "kernel not on record", run.operatingSystem?.visible]
    let stack = stack?.visible ?? "version not on record"
    var items = [
      (title: "Host", text: host.compactMap(\.self).joined(separator: ", ")),
      (title: "Stack", text: stack + (run.simulated ? ", SIMULATED" : "")),
    ]
    if adapters.isEmpty { items.append(("Adapters", "none was used")) }
    for (index, adapter) in adapters.enumerated() {
      let hardware = run.simulated ? "SIMULATED" : adapter.hardware?.words ?? "controller not on record"
      items.append((index == 0 ? "Adapters" : "", "\(adapter.title.visible): \(hardware)"))
    }
    if run.simulated {
      items.append(("", "The sensors, the adapters and the Bluetooth service are simulated."))
    }
    return items
  }
}

extension AdapterHardware {
  /// A short name: `Realtek Bluetooth Radio (0bda:8771)`; nil where nothing is known.
  package var title: String? {
    let maker = manufacturer.map { Self.makers[$0].map { "\($0) chip" } ?? "chip of company \($0)" }
    let name = product?.visible ?? maker ?? driver?.visible
    let parts = [name, identifier.map { name == nil ? $0.visible : "(\($0.visible))" }].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: " ")
  }

  /// All that is known, for support.
  var words: String {
    let maker = manufacturer.map { Self.makers[$0].map { "\($0) chip" } ?? "company \($0)" }
    let place = [bus.map { $0.visible }, identifier?.visible].compactMap(\.self).joined(separator: " ")
    let parts = [
      maker, version.map { "Bluetooth \(Self.versions[$0] ?? "version code \($0)")" },
      place.isEmpty ? nil : place, product.map { "“\($0.visible)”" }, driver.map { "driver \($0.visible)" },
      path.map { "at \($0.visible)" },
    ].compactMap(\.self)
    return parts.isEmpty ? "controller not on record" : parts.joined(separator: ", ")
  }

  /// Makers of controllers, by the Bluetooth SIG's company identifiers (Assigned Numbers).
  private static let makers: [UInt16: String] = [
    2: "Intel", 10: "CSR", 13: "Texas Instruments", 15: "Broadcom", 29: "Qualcomm", 48: "ST", 70: "MediaTek",
    89: "Nordic", 93: "Realtek", 305: "Cypress", 1521: "Linux Foundation",
  ]

  /// Versions of the core specification, by their codes (Assigned Numbers).
  private static let versions: [UInt8: String] = [
    6: "4.0", 7: "4.1", 8: "4.2", 9: "5.0", 10: "5.1", 11: "5.2", 12: "5.3", 13: "5.4", 14: "6.0",
  ]
}
