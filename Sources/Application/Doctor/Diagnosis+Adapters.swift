import Reporting
import Model
import Bluetooth

/// Findings about the adapters. The trap numbers are those of docs/internals/bluez.md.
extension Diagnosis {
  var adapters: [Finding] {
    guard let radio else { return [] }
    let known = Set(items.map(\.adapter.nameOnHost))
    let onlyKernel = (bluetooth?.controllers ?? []).filter { !known.contains($0.name) }
    var findings = zip(items, listed).flatMap { item, listed in
      [line(listed), state(listed, radio)].compactMap(\.self) + use(item)
    }
    findings += onlyKernel.map { controller in
      Finding(
        .adapterNotInBlueZ, radio.ready.isEmpty ? .error : .warning, about: controller.name,
        "The kernel has \(controller.name), but bluetoothd does not.",
        advice: "If that does not help, unplug it and plug it in again.",
        command: "sudo systemctl restart bluetooth")
    }
    if radio.failure == nil, items.isEmpty, onlyKernel.isEmpty, name == nil, radio.localFailure == nil {
      findings.append(
        Finding(
          .noAdapter, radio.ready.isEmpty ? .error : .note, "There is no Bluetooth adapter.",
          advice: "Plug one in; `lsusb` lists the USB devices of this computer."))
    }
    return findings + hubs + chips
  }

  // MARK: One by one

  /// An adapter as it is now.
  struct ListedAdapter {
    let adapter: Adapter
    /// Its entry in the manifest; nil without one.
    let description: AdapterDescription?
    /// Whether rfkill blocks it; nil if unknown.
    let block: RadioBlock?
    /// The devices to which it holds a link; nil if unknown.
    let links: [BluetoothAddress]?
  }

  /// The adapters of this host that BlueZ has, by name.
  var listed: [ListedAdapter] {
    items.map { item in
      var adapter = item.adapter
      let kernel = controller(adapter)
      adapter.hardware = kernel?.hardware ?? adapter.hardware
      return ListedAdapter(
        adapter: adapter, description: building?.building.description(of: adapter),
        block: RadioBlock(adapter.state, kernel: kernel?.block), links: item.links)
    }
  }

  private func line(_ item: ListedAdapter) -> Finding {
    let (adapter, hardware) = (item.adapter, item.adapter.hardware)
    let links = item.links.map { $0.count.counted("link") } ?? "links unknown"
    let parts = [
      item.description?.title, adapter.id.address.description, hardware?.title ?? "controller unknown",
      hardware?.path.map { "at \($0)" }, adapter.state == .ready ? "switched on" : "not switched on", links,
    ]
    return Finding(
      .adapter, .ok, about: adapter.name,
      "\(adapter.name): \(parts.compactMap(\.self).joined(separator: ", ")).")
  }

  /// Why an adapter cannot be used. This is only a warning if another adapter is ready.
  private func state(_ item: ListedAdapter, _ radio: RadioFacts) -> Finding? {
    let adapter = item.adapter
    guard adapter.state != .ready else { return nil }
    let severity: Finding.Severity = radio.ready.isEmpty ? .error : .warning
    switch item.block {
    case .hardware:
      return Finding(
        .adapterBlocked, severity, about: adapter.name,
        "\(adapter.name) is blocked by a switch of the computer.",
        advice:
          "Use the computer's wireless switch or flight mode key; `rfkill list` shows the state.")
    case .software, .unspecified:
      return Finding(
        .adapterBlocked, severity, about: adapter.name, "\(adapter.name) is blocked by rfkill.",
        command: "rfkill unblock bluetooth")
    case RadioBlock.none?, nil:
      return Finding(
        .adapterOff, severity, about: adapter.name, "\(adapter.name) is switched off.",
        command:
          "busctl set-property org.bluez /org/bluez/\(adapter.nameOnHost) org.bluez.Adapter1 Powered b true")
    }
  }

  /// Scans and links of other programs.
  private func use(_ item: RadioFacts.Item) -> [Finding] {
    let adapter = item.adapter
    var findings: [Finding] = []
    if adapter.isScannedByOthers {
      // Traps 16 and 60: during another program's scan a connection takes up to 10 s longer, and the bus
      // names that program only to root.
      let clients = item.clients.map(\.visible).joined(separator: ", ")
      findings.append(
        Finding(
          .foreignScan, .warning, about: adapter.name,
          "Another program scans with \(adapter.name)\(clients.isEmpty ? "" : ": \(clients)"); each connection takes up to 10 s longer.",
          advice: clients.isEmpty
            ? "Stop that program, often `bluetoothctl` or the desktop's Bluetooth settings."
              + (name == nil ? " This command names it:" : "")
            : "Stop it.",
          command: clients.isEmpty && name == nil ? "sudo roboprov doctor" : nil))
    }
    if let links = item.links, !links.isEmpty {
      // Traps 29 and 30: a link outlives the program that made it, and a controller holds five to seven.
      let isFull = links.count >= (building?.building.slots(of: adapter) ?? 5)
      let shown = links.prefix(8).map(\.description).joined(separator: ", ") + (links.count > 8 ? ", …" : "")
      findings.append(
        Finding(
          .linksHeld, isFull ? .warning : .note, about: adapter.name,
          "\(adapter.name) holds links to \(shown)" + (isFull ? ", and may have no free slot." : "."),
          advice: "`apply` disconnects the building's devices. This command disconnects one:",
          command: "bluetoothctl disconnect \(links[0])"))
    }
    return findings
  }

  // MARK: Together

  /// Adapters behind one USB hub: if it fails, all their rooms lose their links at the same moment.
  private var hubs: [Finding] {
    let controllers = bluetooth?.controllers ?? []
    let hubs = Set(controllers.compactMap(\.hub)).sorted()
    return hubs.compactMap { hub in
      let names = controllers.filter { $0.hub == hub }.map(\.name)
      guard names.count > 1 else { return nil }
      return Finding(
        .sharedHub, .note, about: hub,
        "\(names.joined(separator: " and ")) are behind one USB hub (\(hub)): if it loses power, all of them are lost.",
        advice: "Use a hub with its own power supply, or other ports of the computer.")
    }
  }

  /// Bluetooth and WiFi on one chip share one radio.
  private var chips: [Finding] {
    guard let bluetooth else { return [] }
    return bluetooth.controllers.flatMap { controller in
      bluetooth.wifi.filter { $0.isUp && Self.areProbablyOneChip(controller, $0) }.map { wifi in
        Finding(
          .sharedChip, .warning, about: controller.name,
          "\(controller.name) is probably on one chip with \(wifi.name)\(wifi.driver.map { " (\($0))" } ?? ""), which has a "
            + "WiFi connection: they share one radio, and scans lose advertisements.",
          // A gateway may be reached by its WiFi.
          advice: name == nil
            ? "Use another adapter (--adapter), or switch WiFi off during runs and use a network cable:"
            : "Use another adapter there, or a network cable instead of WiFi.",
          command: name == nil ? "sudo rfkill block wifi" : nil)
      }
    }
  }

  /// Whether a controller and a WiFi adapter are parts of one USB device, or come from a maker of combined
  /// chips: by the USB vendor, or the serial bus of single-board computers, and the WiFi driver. Realtek is
  /// not in the list, because its separate dongles are as common as its combined chips.
  private static func areProbablyOneChip(_ controller: ControllerFacts, _ wifi: WiFiFacts) -> Bool {
    if let device = controller.hardware?.path?.split(separator: "/").dropLast(),
      controller.hardware?.bus == "usb",
      let other = wifi.usbPath?.split(separator: "/").dropLast(), device.count > 1
    {
      return device == other
    }
    let vendor = controller.hardware?.identifier?.prefix { $0 != ":" }
    guard let driver = wifi.driver else { return false }
    return switch vendor {
    case "8087": driver == "iwlwifi"
    case "0cf3": driver.hasPrefix("ath")
    case "0e8d": driver.hasPrefix("mt79")
    case nil: controller.hardware?.bus == "serial" && driver == "brcmfmac"
    default: false
    }
  }
}
