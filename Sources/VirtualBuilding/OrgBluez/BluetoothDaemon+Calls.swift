import DBus

/// The dispatch of calls to objects and methods, and the interfaces that every object has.
extension BluetoothDaemon {
  /// Carries out a call and returns the reply. Its changes are signalled before the reply is sent.
  func answer(_ call: MethodCall) async -> Result<[DBusValue], DBusError> {
    defer { emit() }
    return await Self.$call.withValue(CallID(call)) {
      do throws(DBusError) {
        return .success(try await carryOut(call))
      } catch {
        return .failure(error)
      }
    }
  }

  private func carryOut(_ call: MethodCall) async throws(DBusError) -> [DBusValue] {
    if let interface = call.interface ?? interfaceByMember(call), standard.contains(interface) {
      return try await carryOutStandard(call, interface)
    }
    guard let interfaces = tree.interfaces(of: call.path) else { throw BlueZFailure.unknownObject(call) }
    guard let interface = call.interface ?? interfaceByMember(call),
      interfaces.contains(where: { $0.name == interface }),
      let method = BlueZInterfaces.all[interface]?.methods.first(where: { $0.name == call.member.text }),
      method.signature == call.signature
    else { throw BlueZFailure.unknownMethod(call) }
    switch interface {
    case BlueZInterfaces.adapter: return try await carryOutAdapter(call)
    case BlueZInterfaces.device: return try await carryOutDevice(call)
    case BlueZInterfaces.characteristic: return try await carryOutCharacteristic(call)
    case BlueZInterfaces.descriptor: return try await carryOutDescriptor(call)
    case BlueZInterfaces.agentManager: return try carryOutAgentManager(call)
    default: throw BlueZFailure.unknownMethod(call)
    }
  }

  private var standard: [InterfaceName] {
    [BlueZInterfaces.introspectable, BlueZInterfaces.properties, BlueZInterfaces.objectManager]
  }

  /// A call may omit the interface; then the first one that has the method is used.
  private func interfaceByMember(_ call: MethodCall) -> InterfaceName? {
    ((tree.interfaces(of: call.path) ?? []).map(\.name) + standard).first { name in
      BlueZInterfaces.all[name]?.methods.contains { $0.name == call.member.text } ?? false
    }
  }

  private func carryOutStandard(_ call: MethodCall, _ interface: InterfaceName) async throws(DBusError)
    -> [DBusValue]
  {
    switch (interface, call.member) {
    case (BlueZInterfaces.introspectable, "Introspect"):
      guard let xml = tree.introspection(of: call.path) else { throw BlueZFailure.unknownObject(call) }
      return [.string(xml)]
    case (BlueZInterfaces.objectManager, "GetManagedObjects"):
      guard call.path == "/" else { throw BlueZFailure.unknownObject(call) }
      return [tree.managedObjects]
    case (BlueZInterfaces.properties, "GetAll") where call.signature == "s":
      let interface = try interfaceNamed(by: call)
      return [.vardict(interface.properties.map { ($0.name, $0.value) })]
    case (BlueZInterfaces.properties, "Get") where call.signature == "ss":
      let name = call.body[1].asString ?? ""
      guard let value = try interfaceNamed(by: call)[name] else { throw BlueZFailure.noSuchProperty(name) }
      return [.variant(value)]
    case (BlueZInterfaces.properties, "Set") where call.signature == "ssv":
      try await set(call)
      return []
    default:
      throw tree.contains(call.path) ? BlueZFailure.unknownMethod(call) : BlueZFailure.unknownObject(call)
    }
  }

  private func interfaceNamed(by call: MethodCall) throws(DBusError) -> ExportedObjects.Interface {
    guard let interfaces = tree.interfaces(of: call.path) else { throw BlueZFailure.unknownObject(call) }
    let name = call.body.first?.asString ?? ""
    guard let interface = interfaces.first(where: { $0.name.text == name }) else {
      throw BlueZFailure.noSuchInterface(name)
    }
    return interface
  }

  /// `Properties.Set`.
  private func set(_ call: MethodCall) async throws(DBusError) {
    let interface = try interfaceNamed(by: call).name
    let name = call.body[1].asString ?? ""
    guard let property = BlueZInterfaces.all[interface]?.properties.first(where: { $0.name == name }) else {
      throw BlueZFailure.noSuchProperty(name)
    }
    guard property.writable else { throw BlueZFailure.readOnly(name) }
    let value = call.body[2].unwrapped
    guard value.signature.text == property.type else { throw BlueZFailure.invalidArguments }
    switch (interface, name) {
    case (BlueZInterfaces.adapter, "Powered"):
      guard let address = adapterAddress(at: call.path) else { throw BlueZFailure.unknownObject(call) }
      if adapters[address]?.adapter.isBlocked == true, value == .bool(true) { throw BlueZFailure.blocked }
      await setPowered(value == .bool(true), on: address)
    case (BlueZInterfaces.device, "Alias"):
      guard let id = deviceID(at: call.path) else { throw BlueZFailure.unknownObject(call) }
      setAlias(value.asString ?? "", of: id)
    default:
      tree.set(call.path, interface, name, value)
    }
  }

  // MARK: Agents

  private func carryOutAgentManager(_ call: MethodCall) throws(DBusError) -> [DBusValue] {
    guard let client = call.sender, let path = call.body.first?.asObjectPath else {
      throw BlueZFailure.invalidArguments
    }
    switch call.member {
    case "RegisterAgent":
      try agents.register(path, call.body[1].asString ?? "?", of: client)
    case "UnregisterAgent":
      try agents.unregister(path, of: client)
    case "RequestDefaultAgent":
      try agents.makeDefault(path, of: client)
    default:
      throw BlueZFailure.unknownMethod(call)
    }
    return []
  }
}
