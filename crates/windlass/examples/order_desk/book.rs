//! The orders, on disk, and the three tools that see and change them. A tool sees the orders of the customer who speaks,
//! whatever number the model names.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use windlass::prelude::*;

#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Order {
    pub(crate) number: u32,
    pub(crate) customer: String,
    pub(crate) item: String,
    pub(crate) address: String,
    pub(crate) paid_euros: u32,
}

/// What is in the file.
#[derive(Default, Serialize, Deserialize)]
struct Pages {
    orders: BTreeMap<u32, Order>,
    /// Who speaks in which session: tools are told the session.
    customers: BTreeMap<String, String>,
    /// Refunds that were made, by the key of their call: a call that runs again after a stop makes none twice.
    refunds: BTreeSet<String>,
}

pub(crate) struct OrderBook {
    file: PathBuf,
    pages: Mutex<Pages>,
}

impl OrderBook {
    /// The book of a folder; a new one has two orders.
    pub(crate) fn open(file: PathBuf) -> Result<Self, Box<dyn std::error::Error>> {
        let pages = match std::fs::read_to_string(&file) {
            Ok(text) => serde_json::from_str(&text)?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Pages {
                orders: [(1001, "ada", "lamp"), (1002, "bo", "chair")]
                    .map(|(number, customer, item)| (number, first_order(number, customer, item)))
                    .into(),
                ..Pages::default()
            },
            Err(error) => return Err(error.into()),
        };
        Ok(Self { file, pages: Mutex::new(pages) })
    }

    /// From now on, what is said in the session is said by this customer.
    pub(crate) fn customer_speaks(&self, session_id: &str, customer: &str) -> std::io::Result<()> {
        let mut pages = self.pages();
        pages.customers.insert(session_id.to_owned(), customer.to_owned());
        self.write(&pages)
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The old book stays whole until the new one is.
    fn write(&self, pages: &Pages) -> std::io::Result<()> {
        let beside = self.file.with_extension("new");
        std::fs::write(&beside, serde_json::to_vec_pretty(pages)?)?;
        std::fs::rename(beside, &self.file)
    }

    fn change(
        &self,
        number: u32,
        context: &ToolContext,
        change: impl FnOnce(&mut Order, &mut BTreeSet<String>) -> Result<(), String>,
    ) -> Result<Order, ToolFailure> {
        let mut pages = self.pages();
        let Pages { orders, customers, refunds } = &mut *pages;
        let order = own(orders, customers, number, context)?;
        change(order, refunds)?;
        let changed = order.clone();
        self.write(&pages).map_err(|error| format!("the order book cannot be written: {error}"))?;
        Ok(changed)
    }
}

fn first_order(number: u32, customer: &str, item: &str) -> Order {
    let [customer, item, address] = [customer, item, "Mill Lane 7"].map(str::to_owned);
    Order { number, customer, item, address, paid_euros: 40 }
}

fn own<'a>(
    orders: &'a mut BTreeMap<u32, Order>,
    customers: &BTreeMap<String, String>,
    number: u32,
    context: &ToolContext,
) -> Result<&'a mut Order, String> {
    let customer = customers.get(context.session_id.as_str());
    let order = orders.get_mut(&number).filter(|order| Some(&order.customer) == customer);
    order.ok_or_else(|| format!("this customer has no order {number}"))
}

#[tools]
impl OrderBook {
    /// Finds an order by its number.
    #[tool(effects = "read", risk = "safe")]
    fn find_order(&self, number: u32, context: &ToolContext) -> Result<Order, ToolFailure> {
        let mut pages = self.pages();
        let Pages { orders, customers, .. } = &mut *pages;
        Ok(own(orders, customers, number, context)?.clone())
    }

    /// Changes where an order is sent to.
    #[tool(effects = "write", risk = "safe", idempotent)]
    fn change_address(
        &self,
        number: u32,
        address: String,
        context: &ToolContext,
    ) -> Result<Order, ToolFailure> {
        self.change(number, context, |order, _| {
            order.address = address;
            Ok(())
        })
    }

    /// Gives money back for an order.
    // A clerk is asked first: calls of high risk are never made without.
    #[tool(effects = "external", risk = "high", idempotent)]
    fn refund_order(&self, number: u32, euros: u32, context: &ToolContext) -> Result<Order, ToolFailure> {
        let key = context.idempotency_key();
        self.change(number, context, |order, refunds| {
            if !refunds.contains(&key) {
                let left = order.paid_euros.checked_sub(euros);
                order.paid_euros =
                    left.ok_or_else(|| format!("only {} euros were paid", order.paid_euros))?;
                refunds.insert(key);
            }
            Ok(())
        })
    }
}
